"""Rules on observations: the claims that the audit checks.

A module in a folder of this package is one rule: its docstring is the rule's page, `RULE` the rule; its example is
traces/cases/CODE.md. Modules that several rules share have names that begin with `_`.
"""
