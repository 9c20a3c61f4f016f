"""Lines that a model's steps write into logs (`Action.prints`): rendered as a simulated cluster's log, or matched.

`names.py` names the elements of finite sorts, `written.py` has the events that a step writes; `simulate.py` makes a log
of a run, `validate.py` decides whether some run of the model writes a given log. `moves.py` takes the steps of such
runs, `runs.py` has the lines that they write.
"""

MOST_STATES = 20_000
"""States between two lines beyond which nothing is decided, unless more are allowed."""
