"""What the documents for contributors name is there: files, verbs, commands, options and Python names."""

import importlib
import re
import tomllib
from pathlib import Path

import pytest
import typer

import vehbench_hf
from vehbench_cli import app

REPOSITORY = Path(__file__).resolve().parent.parent
DOCUMENTS = [REPOSITORY / "CONTRIBUTING.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
MADE_BY_A_USER = {"./bank", "../shared/release", "dist/*", "run.json", "scores.json", "turns.jsonl"}
"""Paths that a command writes or that lie outside the repository."""
ROOTS = (
    "",
    "vehbench_hf",
    "oracle",
    "oracle/vehbench_oracle",
    "oracle/vehbench_oracle/veh",
    "runners",
    "dataset_builder",
    "dataset_builder/vehbench_builder",
    "runners/vehbench_runners",
    "vehbench_cli",
)
"""Where a path of the documents may start."""

documents = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda file: file.name)


def code_of(document: Path) -> list[str]:
    """The texts between backticks, and the lines of code blocks."""
    text = document.read_text(encoding="utf-8")
    blocks = re.findall(r"```\n(.*?)```", text, flags=re.DOTALL)
    inline = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    return inline + [line for block in blocks for line in block.splitlines()]


@documents
def test_files_and_links_named_in_a_document_exist(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for link in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
        assert (document.parent / link).exists(), link
    like_a_path = re.compile(r"[\w.*/-]*(/|\.(md|py|toml|json|cff|j2))[\w.*/-]*")
    paths = {code for code in code_of(document) if like_a_path.fullmatch(code) and "NAME" not in code}
    assert paths
    missing = [
        path for path in paths - MADE_BY_A_USER if not any((REPOSITORY / root / path).exists() for root in ROOTS)
    ]
    assert missing == []


def test_python_names_of_the_documents_can_be_imported() -> None:
    named = {code.split("(")[0] for document in DOCUMENTS for code in code_of(document)}
    names = [name for name in named if re.fullmatch(r"vehbench_\w+(\.\w+)+", name)]
    assert len(names) > 10
    for name in names:
        parts = name.split(".")
        thing: object = importlib.import_module(parts[0])
        for number, part in enumerate(parts[1:], start=1):
            if not hasattr(thing, part):
                importlib.import_module(".".join(parts[: number + 1]))
            thing = getattr(thing, part)


def test_commands_and_options_of_the_documents_exist() -> None:
    verbs = set(re.findall(r"^([a-z]+):", (REPOSITORY / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    lines = [code.split("#")[0].split("&&")[0].split() for document in DOCUMENTS for code in code_of(document)]
    made, run = ([line for line in lines if line[:1] == [tool] and line[1:]] for tool in ("make", "vehbench"))
    assert made
    assert run
    for line in made:
        assert set(line[1:]) <= verbs, line
    for line in run:
        options = {option for parameter in COMMANDS[line[1]].params for option in parameter.opts}
        assert {word for word in line if word.startswith("--")} <= options, line


def test_verbs_of_the_makefile_use_commands_and_folders_that_exist() -> None:
    text = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    commands, paths = (
        re.findall(r"^\tvehbench (\S+)", text, re.MULTILINE),
        re.findall(r"\b(?:tests|\.ci)/[\w./]+", text),
    )
    assert commands
    assert paths
    assert set(commands) <= set(COMMANDS)
    assert [path for path in paths if not (REPOSITORY / path).exists()] == []


def test_every_public_name_stands_in_the_list() -> None:
    listed = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
    listed = listed[listed.index("## Public Python names") :]
    assert len(dir(vehbench_hf)) > 3
    for name in dir(vehbench_hf):
        assert re.search(rf"[`.]{name}\b", listed), name


def test_the_version_is_the_same_wherever_it_stands() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = re.search(r"^version: (\S+)", (REPOSITORY / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert citation is not None
    assert project["version"] == citation[1] == vehbench_hf.__version__


def test_tests_that_ci_names_exist() -> None:
    text = (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8")
    named = re.findall(r"(tests/\S+\.py)::(\w+)", text)
    assert named
    for file, test in named:
        assert f"def {test}(" in (REPOSITORY / file).read_text(encoding="utf-8"), test
    for folder, names in re.findall(r"(tests/\w+/test_)\{([\w,]+)\}\.py", text):
        assert [name for name in names.split(",") if not (REPOSITORY / f"{folder}{name}.py").exists()] == []
