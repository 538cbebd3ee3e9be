"""The score table in the terminal."""

from typing import Any

from rich.console import Console
from rich.table import Table

from vehbench_hf.probes import PROBE_TABLE


def print_scores(scores: dict[str, Any]) -> None:
    """Headline, interval, splits, outcome classes and the main parts of each probe, and what makes them comparable."""
    console = Console(highlight=False, width=None if Console().is_terminal else 120)
    console.print(f"[bold]{_plain(scores['model'])}[/bold]  ({_plain(scores['comparability'])})")
    table = Table("probe", "headline", "value", "95 % interval", "n", "dev", "test_id", "test_ood", "outcomes")
    for probe, found in scores["probes"].items():
        headline = found["headline"]
        splits = [_number(found["splits"].get(name, {}).get("value")) for name in ("dev", "test_id", "test_ood")]
        outcomes = ", ".join(f"{name} {count}" for name, count in found["outcomes"].items() if count)
        for name in ("missing", "not_applicable"):
            outcomes += f", {name.replace('_', ' ')} {found[name]}" if found[name] else ""
        interval = headline["interval"]
        table.add_row(
            probe.upper(),
            headline["name"],
            _number(headline["value"]),
            "undefined" if interval is None else f"{interval[0]:.4f} to {interval[1]:.4f}",
            str(headline["n"]),
            *splits,
            outcomes.strip(", "),
        )
    console.print(table)
    for probe, found in scores["probes"].items():
        parts = [
            f"{name} {_number(found['parts'][name])}" for name in PROBE_TABLE[probe].shown if name in found["parts"]
        ]
        console.print(f"{probe.upper()}: " + ", ".join(parts))
        again = found["repeats"]
        if again["epochs"] > 1:
            console.print(f"    {_repeats(again)}")
        headline = found["headline"]
        if headline["value"] is None:
            console.print(f"    undefined: {_plain(headline['undefined'])}")
        if (found["unscored"] or found["missing"]) and headline.get("bounds"):
            low, high = headline["bounds"]
            console.print(f"    incomplete: with the unscored rows the headline lies between {low:.4f} and {high:.4f}")
    for problem in scores["problems"]:
        console.print(f"warning: {_plain(problem)}")


def _repeats(again: dict[str, Any]) -> str:
    text = f"{again['epochs']} repeats: mean {_number(again['mean'])}"
    if again["interval"]:
        text += f", {again['interval'][0]:.4f} to {again['interval'][1]:.4f}"
    if "pass" in again:
        text += f", pass^{again['pass']['k']} {_number(again['pass']['value'])} (n {again['pass']['n']})"
    return text


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.4f}"


def _plain(text: object) -> str:
    from rich.markup import escape

    return escape(str(text))
