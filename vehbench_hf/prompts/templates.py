"""The template files of this folder, and rendering one of them."""

from functools import cache
from pathlib import Path

import jinja2

from vehbench_hf.domains import DOMAINS

_FOLDER = Path(__file__).parent
_SEPARATOR = "=== user ===\n"


@cache
def prompt_texts() -> dict[str, str]:
    """The template files by name, as stored in a run."""
    texts = {file.name: file.read_text(encoding="utf-8") for file in sorted(_FOLDER.glob("*.md.j2"))}
    return {**texts, "device.md.j2": DOMAINS["veh"].device}


def rendered(name: str, **values: object) -> str:
    """The text of a template file. Raises jinja2.UndefinedError for a value that it needs and does not get."""
    return _environment().get_template(name).render(**values)


def rendered_pair(name: str, **values: object) -> tuple[str, str]:
    """The system text and the user text of a template file that holds both."""
    system, user = rendered(name, **values).split(_SEPARATOR)
    return system.strip(), user.strip()


@cache
def _environment() -> jinja2.Environment:
    # Prompts are plain text for a model, not HTML, so escaping would change what it reads.
    return jinja2.Environment(
        loader=jinja2.DictLoader(prompt_texts()),
        undefined=jinja2.StrictUndefined,
        autoescape=False,
        keep_trailing_newline=True,
    )
