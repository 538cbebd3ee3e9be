"""The README of a bank (the dataset card of the Hub) and its datasheet, rendered from the texts in `cards/`.

write_documents(folder)     # after `write_bank`: README.md, DATASHEET.md and croissant.json of a bank
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
import yaml

from vehbench_builder.documents.builder_class import STAGES
from vehbench_builder.documents.columns import described
from vehbench_builder.documents.croissant import croissant_text
from vehbench_builder.documents.figures import figures_of
from vehbench_builder.documents.metadata import metadata
from vehbench_hf.bank.bank import Bank, open_bank
from vehbench_hf.bank.loading import configs_of
from vehbench_hf.bank.schema import CANARY
from vehbench_hf.domains import DOMAINS
from vehbench_hf.errors import BankError
from vehbench_hf.paths import shipped

README = "README.md"
DATASHEET = "DATASHEET.md"
CROISSANT = "croissant.json"


def render_card(bank: Bank) -> str:
    """The whole README of a bank that was built here: header, and `cards/dataset_card.md` with its figures."""
    return with_header(bank, _render("cards/dataset_card.md", bank))


def render_datasheet(bank: Bank) -> str:
    """The datasheet of a bank that was built here, from `cards/datasheet.md`."""
    return _render("cards/datasheet.md", bank)


def write_documents(folder: Path) -> None:
    """Write README.md, DATASHEET.md and croissant.json of the bank in `folder`; the manifest stays as it is.

    Raises BankError when there is no bank.
    """
    bank = open_bank(folder)
    texts = {README: render_card(bank), DATASHEET: render_datasheet(bank), CROISSANT: croissant_text(bank)}
    for name, text in texts.items():
        (bank.path / name).write_text(text, encoding="utf-8", newline="")


def own_text(bank: Bank) -> str:
    """The README of a bank without its header: the card its maker wrote. Raises BankError when there is none."""
    try:
        text = (bank.path / README).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BankError(f"{bank.path} has no readable {README}: {error}. A bank comes with a card.") from None
    if text.startswith("---\n"):
        _, _, text = text.removeprefix("---\n").partition("\n---\n")
    return text


def with_header(bank: Bank, text: str) -> str:
    """A card with the header that the Hub and `load_dataset` read, and the canary string if the text lacks it."""
    header = yaml.safe_dump(_header(bank), sort_keys=False, allow_unicode=True, width=120)
    canary = "" if CANARY in text else f"\n{CANARY}\n"
    return f"---\n{header}---\n\n{text.strip()}\n{canary}"


def _header(bank: Bank) -> dict[str, Any]:
    # The fingerprint keeps `datasets` from loading old rows out of its cache, as in `vehbench_hf.bank.bank`.
    about = metadata()
    return {
        "pretty_name": f"{about['pretty_name']} ({bank.version})",
        "license": about["license"],
        "language": ["en"],
        "annotations_creators": ["machine-generated"],
        "source_datasets": ["original"],
        "size_categories": ["n<1K" if len(bank.tasks) < 1000 else "1K<n<10K"],
        "task_categories": about["task_categories"],
        "tags": [*(word.replace(" ", "-") for word in about["keywords"]), "croissant"],
        "configs": [
            {
                "config_name": config,
                "description": f"{STAGES[config]}; rows {bank.fingerprint_of(config)[:16]}",
                "data_files": [
                    {"split": file.split, "path": file.path} for file in bank.data_files if file.config == config
                ],
            }
            for config in configs_of(bank)
        ],
    }


def _render(name: str, bank: Bank) -> str:
    # The texts are Markdown for people; escaping for HTML would change what they read.
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False, keep_trailing_newline=True)
    environment.filters |= {"digits": _digits, "percent_of": _percent_of, "budgets_of": _budgets_of}
    return environment.from_string(shipped(name).read_text(encoding="utf-8")).render(
        **figures_of(bank),
        columns=described(configs_of(bank)),
        variables=_of_all_domains("variables"),
        metrics=_of_all_domains("metrics"),
        limits=_of_all_domains("limits"),
        stages={name: text.partition(": ")[2] for name, text in STAGES.items()},
        about=metadata(),
        canary=CANARY,
    )


def _of_all_domains(kind: str) -> dict[str, Any]:
    return {name: quantity for domain in DOMAINS.values() for name, quantity in getattr(domain, kind).items()}


def _digits(value: float, count: int) -> str:
    """A number at some significant digits, never as a power of ten where it can be read otherwise."""
    text = f"{value:.{count}g}"
    return f"{float(text):.0f}" if "e+" in text and value < 1e9 else text


def _percent_of(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %"


def _budgets_of(configs: Sequence[Mapping[str, Any]], name: str) -> str:
    """The query budgets of a config in words; "no" where the bank lacks the config."""
    return (
        " or ".join(str(budget) for config in configs if config["name"] == name for budget in config["budgets"]) or "no"
    )
