"""`python -m isrproof.checker.drift`."""

from .command import command

command(prog_name="python -m isrproof.checker.drift")
