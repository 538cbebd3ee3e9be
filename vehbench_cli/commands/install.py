"""`vehbench install`: `load_dataset("vehbench", "p2")` and the metrics from any directory of this machine."""

import typer

from vehbench_cli.options import BankOption
from vehbench_hf.bank.bank import DEFAULT_BANK, open_bank


def install_command(bank: BankOption = DEFAULT_BANK) -> None:
    """Seed the local caches of datasets and evaluate. The same command again changes nothing; an upgrade renews."""
    from vehbench_builder.documents.install import LIMITS, install_bank, install_metrics

    done = install_bank(open_bank(bank))
    states = ", ".join(f"{config} {state}" for config, state in done.configs.items())
    typer.echo(f"bank {done.bank_version} (data version {done.data_version}) in {done.folder}: {states}")
    if done.older:
        typer.echo(f"other data versions in the cache, no longer loaded by name: {len(done.older)}")
    typer.echo("metrics: " + ", ".join(f"{name} {state}" for name, state in install_metrics().items()))
    typer.echo(
        'load_dataset("vehbench", "p2") and evaluate.load("vehbench/p4_tau") now work from any directory. Limits:'
    )
    for limit in LIMITS:
        typer.echo(f"- {limit}")
