"""Names of what a failing row of some rules shows about the log itself; doubt/signs/ weighs it."""

NOTHING_LED_THERE = "nothing-led-there"
"""A state that no earlier line led to: a missing line leaves no other sign."""
NOTHING_MOVED = "nothing-moved"
"""A controller's start that moved nothing: a missing line leaves no other sign."""
EPOCH_DIFFERS = "epoch-differs"
"""An epoch that differs from the line above: a line of another broker leaves no other sign."""
