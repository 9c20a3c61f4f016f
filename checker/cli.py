"""The command line. One contract, README.md; everything is also callable from Python.

A subcommand is a module of `checker/commands`; it is imported only when it is called, so that no command pays for the
imports of another.
"""

from __future__ import annotations

import importlib
import itertools
import pkgutil
from typing import Any

import click

from . import INTERRUPTED, commands
from .failure import fail, unexpected


class _Subcommands(click.Group):
    """The modules of `checker/commands`, imported on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(module.name for module in pkgutil.iter_modules(commands.__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command = importlib.import_module(f"{commands.__name__}.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand; report misuse as one JSON object if JSON is asked for, and an interrupt in one line."""
        as_json = asks_for_json(ctx.args)
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            if not as_json:
                raise
            fail(error.format_message(), as_json=True)
        except KeyboardInterrupt:
            click.echo(INTERRUPTED, err=True)
            ctx.exit(3)
        except click.ClickException as error:
            fail(error.format_message(), as_json=as_json)
        except (click.Abort, click.exceptions.Exit):
            raise
        except Exception as error:
            fail(unexpected(error), as_json=as_json)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Print --help and --version, too."""
        try:
            return super().make_context(*args, **extra)
        except OSError as error:
            fail(unexpected(error), as_json=False)
        except KeyboardInterrupt:  # click would exit with 1, which is a verdict
            click.echo(INTERRUPTED, err=True)
            raise SystemExit(3) from None


def asks_for_json(args: list[str]) -> bool:
    """Check whether the arguments of a subcommand, which may be wrong, ask for JSON."""
    form = [value for name, value in itertools.pairwise(args) if name == "--format"]
    return "--json" in args or "--format=json" in args or form[-1:] == ["json"]


@click.group(cls=_Subcommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="isrproof")
def main() -> None:
    """A formal model of Kafka's replication and controller, and a checker for what real clusters did.

    Exit codes: 0 holds / conforms, 1 violated / illegal found, 2 misuse or nothing readable, 3 unknown, incomplete or
    nothing to check.
    """
