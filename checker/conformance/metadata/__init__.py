"""A metadata log as a path of the model `kraft`: each record is looked for among the steps of the model.

`relation.py` evaluates one step, `contexts.py` says which model holds at a record, `projection.py` what a partition and
its brokers are in it, `steps.py` which steps a record may come of; `validate.py` goes along the log.
"""
