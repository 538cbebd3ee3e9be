"""A dataclass of options becomes flat options of a command."""

from dataclasses import dataclass, fields

import pytest
import typer
from typer.testing import CliRunner

from vehbench_cli.option_groups import grouped, option
from vehbench_cli.run_options import Rules
from vehbench_hf.protocol import Protocol


@dataclass(frozen=True)
class Pace:
    """How fast."""

    calls_in_flight: int = option(2, "Calls at a time.", min=1)
    names: list[str] | None = option(None, "Names.")


@pytest.fixture
def app() -> typer.Typer:
    app = typer.Typer()

    @grouped
    def show(pace: Pace, plain: str = "plain") -> None:
        """Show what was given."""
        typer.echo(f"{pace.calls_in_flight} {pace.names} {plain}")

    app.command()(show)
    return app


def test_a_field_is_an_option_with_its_type_default_and_environment_variable(app: typer.Typer) -> None:
    run = CliRunner()
    assert run.invoke(app, []).output == "2 [] plain\n" or run.invoke(app, []).output == "2 None plain\n"
    given = run.invoke(app, ["--calls-in-flight", "3", "--names", "a", "--names", "b", "--plain", "x"])
    assert given.output == "3 ['a', 'b'] x\n"
    assert run.invoke(app, [], env={"VEHBENCH_CALLS_IN_FLIGHT": "5"}).output.startswith("5 ")
    assert run.invoke(app, ["--calls-in-flight", "0"]).exit_code == 2


def test_help_shows_the_docstring_as_panel_and_the_texts(app: typer.Typer) -> None:
    shown = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "160", "TERM": "dumb"}).output
    for words in ("Show what was given.", "How fast", "Calls at a time.", "VEHBENCH_CALLS_IN_FLIGHT"):
        assert words in shown


def test_options_left_out_give_the_default_protocol() -> None:
    assert Rules().protocol() == Protocol()
    assert {item.name for item in fields(Rules)} == {item.name for item in fields(Protocol)} - {"retries"}
