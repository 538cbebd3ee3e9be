"""The template files of this folder, and rendering one of them with the device text of a domain."""

from functools import cache
from pathlib import Path

import jinja2

from vehbench_hf.domains import DOMAINS
from vehbench_oracle.domain import Domain

_FOLDER = Path(__file__).parent
_SEPARATOR = "=== user ===\n"


@cache
def prompt_texts() -> dict[str, str]:
    """The template files and the device texts of all domains by name, as stored in a run."""
    devices = {f"{domain.name}/device.md.j2": domain.device for domain in DOMAINS.values()}
    return {**_templates(), **devices}


def rendered(name: str, device: str = "", **values: object) -> str:
    """The text of a template file, `device` in place of device.md.j2.

    Raises jinja2.UndefinedError for a value that it needs and does not get.
    """
    return _environment(device).get_template(name).render(**values)


def rendered_pair(name: str, domain: Domain, **values: object) -> tuple[str, str]:
    """The system text and the user text of a template file that holds both, in the words of a domain."""
    text = rendered(name, domain.device, about=domain.about, about_many=domain.about_many, **values)
    system, user = text.split(_SEPARATOR)
    return system.strip(), user.strip()


@cache
def _templates() -> dict[str, str]:
    return {file.name: file.read_text(encoding="utf-8") for file in sorted(_FOLDER.glob("*.md.j2"))}


@cache
def _environment(device: str) -> jinja2.Environment:
    # Prompts are plain text for a model, not HTML, so escaping would change what it reads.
    return jinja2.Environment(
        loader=jinja2.DictLoader({**_templates(), "device.md.j2": device}),
        undefined=jinja2.StrictUndefined,
        autoescape=False,
        keep_trailing_newline=True,
    )
