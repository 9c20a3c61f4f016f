"""One module a subcommand: `NAME.py` here holds a click command called `command`; the subcommand is called NAME."""
