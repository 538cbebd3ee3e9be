"""The small bank that ships with the package: 20 tasks of our own, for trying the tool. Not the benchmark.

    python -m vehbench_builder.sample OUT

Equal versions of numpy, scipy and pyarrow (they are in the manifest) give equal bytes.
"""

import argparse
from importlib.metadata import version
from pathlib import Path
from typing import Any

from vehbench_builder import sample_p1, sample_p3
from vehbench_builder.devices import DEVICES
from vehbench_builder.one_thread import in_a_pinned_process
from vehbench_builder.rows import VERSION
from vehbench_builder.sample_p2 import search_task
from vehbench_builder.sample_p3 import recovery_task
from vehbench_builder.sample_p4 import ranking_task
from vehbench_hf.bank.bank import write_bank
from vehbench_hf.bank.schema import CANARY
from vehbench_hf.types import Task
from vehbench_oracle import oracle_fingerprint


def build_sample_tasks() -> list[Task]:
    """The 20 tasks, in the order of probes and splits; takes about half a minute."""
    takise, peddigari, kanno, tsujiura = DEVICES
    return [
        sample_p1.solvable(takise, 1, seed=11, acceleration_g=0.3),
        sample_p1.infeasible_by_frequency(takise, 2, seed=12, acceleration_g=0.4),
        sample_p1.without_frequency(peddigari, 3, seed=13, acceleration_g=0.2),
        sample_p1.infeasible_by_power(tsujiura, 4, seed=14, acceleration_g=0.1),
        sample_p1.solvable(kanno, 5, seed=15, acceleration_g=0.3),
        search_task(takise, 1, seed=21, acceleration_g=0.3, half_width=0.2),
        search_task(takise, 2, seed=22, acceleration_g=0.5, half_width=0.12, detuning=1.01),
        search_task(peddigari, 3, seed=23, acceleration_g=0.2, half_width=0.2),
        search_task(kanno, 4, seed=24, acceleration_g=0.3, half_width=0.08),
        search_task(tsujiura, 5, seed=25, acceleration_g=0.1, half_width=0.1, detuning=1.005),
        recovery_task(takise, 1, 31, 0.3, sample_p3.WRONG_DIRECTION_LENGTH),
        recovery_task(takise, 2, 32, 0.4, sample_p3.UNIT_FLIP_SUBSTRATE),
        recovery_task(peddigari, 3, 33, 0.2, sample_p3.VERIFIER_IGNORED),
        recovery_task(kanno, 4, 34, 0.3, sample_p3.UNIT_FLIP_LENGTH),
        recovery_task(tsujiura, 5, 35, 0.1, sample_p3.WRONG_DIRECTION_MASS),
        ranking_task(takise, 1, 41, 0.3, "performance_first"),
        ranking_task(takise, 2, 42, 0.4, "balanced"),
        ranking_task(peddigari, 3, 43, 0.2, "reliability_first"),
        ranking_task(kanno, 4, 44, 0.3, "balanced"),
        ranking_task(tsujiura, 5, 45, 0.1, "reliability_first"),
    ]


def write_sample(out: Path) -> dict[str, Any]:
    """Build the sample bank and write it to `out`; returns the manifest."""
    return write_bank(
        out,
        in_a_pinned_process(build_sample_tasks),
        version=VERSION,
        convention="defined",
        card=card_text(),
        extra={
            "builder": "vehbench_builder.sample",
            "built_with": {name: version(name) for name in ("numpy", "scipy", "pyarrow")},
            "oracle": oracle_fingerprint(),
        },
    )


def card_text() -> str:
    """The card of the bank, with the table of its devices."""
    rows = ["| paper | device | materials used | split | scale |", "|---|---|---|---|---|"]
    for device in DEVICES:
        link = f"[{device.title}](https://doi.org/{device.doi}) ({device.year})"
        used = f"{device.piezo} on {device.substrate.replace('_', ' ')}"
        rows.append(f"| {link} | {device.materials_stated} | {used} | {device.split} | {device.scale:.4g} |")
    text = Path(__file__).with_name("sample_card.md").read_text(encoding="utf-8")
    return text.replace("{devices}", "\n".join(rows)).replace("{canary}", CANARY)


def main() -> None:
    """Write the sample bank to the folder given on the command line."""
    parser = argparse.ArgumentParser(description="Write the sample bank (20 tasks for trying the tool).")
    parser.add_argument("out", type=Path, metavar="OUT", help="folder to write to")
    manifest = write_sample(parser.parse_args().out)
    print(f"{manifest['version']}: {sum(manifest['counts'].values())} tasks, fingerprint {manifest['fingerprint']}")  # noqa: T201


if __name__ == "__main__":
    main()
