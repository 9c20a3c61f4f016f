"""What a failing row of some rules shows of the log itself; doubt/signs/ weighs it."""

NOTHING_LED_THERE = "nothing-led-there"
"""A state that nothing above led to: a missing line leaves nothing else."""
NOTHING_MOVED = "nothing-moved"
"""A controller's start that moved nothing: a missing line leaves nothing else."""
EPOCH_DIFFERS = "epoch-differs"
"""Another epoch than the line above has: a line of another broker leaves nothing else."""
