"""What the steps of a model write into logs (`Action.prints`): rendered as a simulated cluster's log, or matched.

`names.py` says what elements of finite sorts are called, `written.py` which events a step writes; `simulate.py` makes a
log of a run, `validate.py` asks whether some run of the model writes a given log. `moves.py` takes the steps of such
runs, `runs.py` has what they write.
"""

MOST_STATES = 20_000
"""States between two lines beyond which nothing is decided, unless more are allowed."""
