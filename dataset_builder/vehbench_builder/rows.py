"""Putting a task together: what the rows of all probes share."""

from collections.abc import Mapping
from typing import Any, cast

from vehbench_builder.devices import Device
from vehbench_hf.bank.schema import empty_gold
from vehbench_hf.types import Gold, Probe, Spec, Task

VERSION = "veh-sample-1"


def task_of(device: Device, *, probe: Probe, number: int, subtype: str, spec: Spec, gold: Mapping[str, Any]) -> Task:
    """A task in the split of its device; `gold` fills the fields of the probe, the others stay empty."""
    return Task(
        task_id=f"sample::{probe}::{device.split}::{number:02d}",
        probe=probe,
        split=device.split,
        subtype=subtype,
        difficulty="demonstration",
        source_group="inside-domain" if device.scale == 1 else "scaled-into-domain",
        anchor=device.anchor,
        bank_version=VERSION,
        spec=spec,
        gold=cast(Gold, {**empty_gold(), **gold}),
    )
