"""The command line. One contract, README.md; everything is also callable from Python.

A subcommand is a module of `checker/commands`; it is imported only when it is called, so that no command pays for the
imports of another.
"""

from __future__ import annotations

import importlib
import pkgutil

import click

from . import commands


class _Subcommands(click.Group):
    """The modules of `checker/commands`, imported when asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(module.name for module in pkgutil.iter_modules(commands.__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command = importlib.import_module(f"{commands.__name__}.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command


@click.group(cls=_Subcommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="isrproof")
def main() -> None:
    """A formal model of Kafka's replication and controller, and a checker for what real clusters did.

    Exit codes: 0 holds / conforms, 1 violated / illegal found, 2 misuse or nothing readable, 3 unknown, incomplete or
    nothing to check.
    """
