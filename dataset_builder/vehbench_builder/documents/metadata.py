"""What is said about every bank in a machine-readable form: the texts of `cards/metadata.json`."""

import json
from functools import cache
from typing import Any

from vehbench_hf.bank.bank import Bank
from vehbench_hf.paths import shipped


@cache
def metadata() -> dict[str, Any]:
    """Licence, citation, keywords and the responsible-AI texts."""
    content: dict[str, Any] = json.loads(shipped("cards/metadata.json").read_text(encoding="utf-8"))
    return content


def build_facts(bank: Bank) -> dict[str, Any]:
    """What the manifest says about how a bank was made: `seed`, `oracle` (fingerprint), `versions`; None if unsaid."""
    build = bank.manifest.get("build") or {}
    return {
        "seed": build.get("seed"),
        "oracle": build.get("oracle") or bank.manifest.get("oracle"),
        "versions": build.get("versions") or bank.manifest.get("built_with") or {},
    }


def rai_of(bank: Bank) -> dict[str, Any]:
    """The responsible-AI texts of a bank: the common ones, replaced where its kind has its own."""
    own: dict[str, Any] = {}
    for prefix, texts in metadata()["rai_of_bank"].items():
        if bank.version.startswith(prefix):
            own = texts
    return {**metadata()["rai"], **own}
