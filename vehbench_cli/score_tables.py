"""The score tables in the terminal."""

from collections.abc import Mapping
from typing import Any

from rich.table import Table
from rich.text import Text

from vehbench_cli.tables import console, interval, number
from vehbench_hf.probes import PROBE_TABLE


def print_scores(scores: Mapping[str, Any]) -> None:
    """Headline, interval, splits, outcome classes and the main parts of each probe, and what makes them comparable."""
    terminal = console()
    terminal.print(Text.assemble((str(scores["model"]), "bold"), f"  ({scores['comparability']})"))
    table = Table("probe", "headline", "value", "95 % interval", "n", "dev", "test_id", "test_ood", "outcomes")
    for probe, values in scores["probes"].items():
        headline = values["headline"]
        counts = values["outcomes"] | {"missing": values["missing"], "not applicable": values["not_applicable"]}
        table.add_row(
            probe.upper(),
            headline["name"],
            number(headline["value"]),
            interval(headline["interval"]),
            str(headline["n"]),
            *(number(values["splits"].get(name, {}).get("value")) for name in ("dev", "test_id", "test_ood")),
            ", ".join(f"{name} {count}" for name, count in counts.items() if count),
        )
    terminal.print(table)
    for probe, values in scores["probes"].items():
        parts = [
            f"{name} {number(values['parts'][name])}" for name in PROBE_TABLE[probe].shown if name in values["parts"]
        ]
        terminal.print(f"{probe.upper()}: " + ", ".join(parts))
        if values["repeats"]["epochs"] > 1:
            terminal.print(f"    {_repeats(values['repeats'])}")
        headline = values["headline"]
        if headline["value"] is None:
            terminal.print(f"    undefined: {headline['undefined']}")
        low, high = headline["bounds"] or (None, None)
        if low is not None and low < high:
            terminal.print(f"    incomplete: with the unscored rows the headline lies between {low:.4f} and {high:.4f}")
    for problem in scores["problems"]:
        terminal.print(f"warning: {problem}")


def print_isomorphic(scores: Mapping[str, Any]) -> None:
    """The accuracy of each form of the isomorphism audit, and the gap between selection and generation."""
    terminal = console()
    terminal.print(f"{scores['model']}  ({scores['comparability']}), isomorphism audit")
    table = Table("form", "accuracy", "95 % interval", "n", "readable", "accuracy of readable", "unscored")
    for form, values in scores["forms"].items():
        table.add_row(
            form,
            number(values["accuracy"]),
            interval(values["interval"]),
            str(values["n"]),
            number(values["read"]),
            number(values["accuracy_read"]),
            str(values["unscored"] + values["missing"]),
        )
    terminal.print(table)
    gap = scores["sg_gap"]
    terminal.print(
        f"Selection minus generation: {number(gap['value'])} ({interval(gap['interval'])}), {gap['groups']} groups. "
        "One of five candidates is right by chance in 20 % of selections, a random design hardly ever; so part of the "
        "gap is chance."
    )
    for problem in scores["problems"]:
        terminal.print(f"warning: {problem}")


def _repeats(repeats: Mapping[str, Any]) -> str:
    text = f"{repeats['epochs']} repeats: mean {number(repeats['mean'])}"
    if repeats["interval"]:
        text += f", {interval(repeats['interval'])}"
    if "pass" in repeats:
        text += f", pass^{repeats['pass']['k']} {number(repeats['pass']['value'])} (n {repeats['pass']['n']})"
    return text
