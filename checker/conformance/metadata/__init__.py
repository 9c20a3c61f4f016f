"""A metadata log as a path of the model `kraft`: each record is looked for among the steps of the model.

`relation.py` evaluates one step, `contexts.py` says which models hold at a record, `projection.py` what a partition and
its brokers are in them, `steps.py` which steps a record may come of, `answers.py` whether one of them fits; `run.py`
goes along the log, and `validate.py` gives the verdict.
"""
