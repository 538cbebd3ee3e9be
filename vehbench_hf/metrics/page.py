"""The page of a metric, `metrics/<name>/README.md`: what the Space, `evaluate` and a reader of the code are told."""

import re
from typing import NamedTuple

from vehbench_hf.paths import shipped


class Page(NamedTuple):
    """The first paragraph under the title, and the sections on inputs and output."""

    description: str
    usage: str


def read_page(metric: str) -> Page:
    """The page of a metric that ships with the package."""
    text = shipped(f"metrics/{metric}").joinpath("README.md").read_text(encoding="utf-8").split("\n---\n", 1)[1]
    title, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    wanted = [section for section in sections if section.startswith(("Inputs", "Output"))]
    return Page(title.split("\n\n", 1)[1].strip(), "\n".join(f"\n{section.strip()}\n" for section in wanted))
