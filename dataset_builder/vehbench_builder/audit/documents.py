"""Do the files beside the data tell of these data: README header, Croissant file, no data that nobody lists?"""

from vehbench_builder.audit import paper
from vehbench_builder.audit.report import Check, Findings, skipped, whole
from vehbench_builder.documents.card import CROISSANT, README, own_text, with_header
from vehbench_builder.documents.croissant import croissant_text
from vehbench_hf.bank.bank import Bank


def document_checks(bank: Bank) -> list[Check]:
    """All checks of the files beside the data."""
    if not bank.manifest.get("files"):
        why = "the bank was not read from files"
        return [skipped(check, why) for check in (data_files_are_listed, documents_tell_of_the_data)]
    return [
        whole(data_files_are_listed, bank),
        whole(documents_tell_of_the_data, bank)
        if bank.version.startswith(paper.BUILT_HERE)
        else skipped(documents_tell_of_the_data, f"{bank.version} was not built here"),
    ]


def data_files_are_listed(bank: Bank) -> Findings:
    """Every file below `data` is listed in the manifest, so that nobody loads what no sum vouches for."""
    listed = {file.path for file in bank.data_files}
    for file in sorted((bank.path / "data").rglob("*")):
        if not file.is_dir():
            name = file.relative_to(bank.path).as_posix()
            yield None if name in listed else f"{name} is not listed"


def documents_tell_of_the_data(bank: Bank) -> Findings:
    """The header of the card names these files, and croissant.json is the one that follows from them."""
    card, described = bank.path / README, bank.path / CROISSANT
    for file, expected in ((card, with_header(bank, own_text(bank))), (described, croissant_text(bank))):
        same = file.is_file() and file.read_bytes() == expected.encode()
        yield None if same else f"{file.name} is missing or not the one of these data"
