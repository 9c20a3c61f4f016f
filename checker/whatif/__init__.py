"""Plans for a cluster: model `kraft` from the state at the end of a metadata log, within a plan.

Read `plan.py`, then `environment.py`, which says what can happen; `shapes.py` and `reach.py` search it.
"""
