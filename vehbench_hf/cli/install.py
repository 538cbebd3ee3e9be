"""`vehbench install`: `load_dataset("vehbench", "p2")` from any directory of this machine."""

import typer

from vehbench_hf.bank import open_bank
from vehbench_hf.cli.options import DEFAULT_BANK, BankOption


def install_command(bank: BankOption = DEFAULT_BANK) -> None:
    """Seed the local datasets cache with a bank. The same command again changes nothing; after an upgrade it renews."""
    from vehbench_builder.install import LIMITS, install_bank

    done = install_bank(open_bank(bank))
    states = ", ".join(f"{config} {state}" for config, state in done.configs.items())
    typer.echo(f"bank {done.bank_version} (data version {done.data_version}) in {done.folder}: {states}")
    if done.older:
        typer.echo(f"other data versions in the cache, no longer loaded by name: {len(done.older)}")
    typer.echo('load_dataset("vehbench", "p2") now works from any directory. Limits:')
    for limit in LIMITS:
        typer.echo(f"- {limit}")
