"""The command line. One module a command; this one collects them and turns errors into exit codes.

0 done, 1 a check failed (`audit`, `check`, `verify`, `publish`), 2 wrong usage, 3 incomplete run (unscored rows),
130 interrupted.
"""

import signal
import sys
from types import FrameType

import typer

from vehbench_cli.commands.audit import audit_command
from vehbench_cli.commands.build import build_command
from vehbench_cli.commands.check import check_command
from vehbench_cli.commands.compare import compare_command
from vehbench_cli.commands.demo_model import demo_model_command
from vehbench_cli.commands.experiment import experiment_command
from vehbench_cli.commands.export import export_command
from vehbench_cli.commands.import_release import import_command
from vehbench_cli.commands.install import install_command
from vehbench_cli.commands.leaderboard import leaderboard_command
from vehbench_cli.commands.publish import publish_command
from vehbench_cli.commands.reproduce import reproduce_command
from vehbench_cli.commands.route import route_command
from vehbench_cli.commands.run import run_command
from vehbench_cli.commands.score import score_command
from vehbench_cli.commands.submit import submit_command
from vehbench_cli.commands.tasks import tasks_command
from vehbench_cli.commands.verify import verify_command
from vehbench_hf import __version__
from vehbench_hf.errors import UserError
from vehbench_hf.safe_files import printable
from vehbench_oracle import OracleError

app = typer.Typer(
    name="vehbench",
    help="Language models at four stages of vibration energy harvester design, judged by an analytical oracle.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command("run")(run_command)
app.command("score")(score_command)
app.command("compare")(compare_command)
app.command("route")(route_command)
app.command("experiment")(experiment_command)
app.command("import")(import_command)
app.command("reproduce")(reproduce_command)
app.command("tasks")(tasks_command)
app.command("check")(check_command)
app.command("build")(build_command)
app.command("audit")(audit_command)
app.command("demo-model")(demo_model_command)
app.command("export")(export_command)
app.command("install")(install_command)
app.command("publish")(publish_command)
app.command("submit")(submit_command)
app.command("verify")(verify_command)
app.command("leaderboard")(leaderboard_command)


@app.callback(invoke_without_command=True)
def _root(version: bool = typer.Option(False, "--version", help="Print the version and stop.")) -> None:
    if version:
        typer.echo(f"vehbench {__version__}")
        raise typer.Exit


def main() -> None:
    """Entry point of the `vehbench` command."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        app()
    except (UserError, OracleError) as error:
        # A message may quote what others wrote.
        lines = "\n".join(map(printable, f"error: {error}".splitlines()))
        typer.echo(lines, err=True)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        typer.echo(f"error: {error.strerror or error}: {error.filename or ''}", err=True)
        sys.exit(2)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
