"""One module a rule: its docstring is the rule's page, `RULE` the rule; its example is traces/cases/CODE.md."""
