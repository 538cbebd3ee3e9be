"""The import arrows of the project, and what importing it may cost."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGES = {
    "vehbench_oracle": REPOSITORY / "oracle" / "vehbench_oracle",
    "vehbench_hf": REPOSITORY / "vehbench_hf",
    "vehbench_builder": REPOSITORY / "dataset_builder" / "vehbench_builder",
    "vehbench_runners": REPOSITORY / "runners" / "vehbench_runners",
    "vehbench_cli": REPOSITORY / "vehbench_cli",
}
MAY_IMPORT = {
    "vehbench_oracle": set(),
    "vehbench_hf": {"vehbench_oracle"},
    "vehbench_builder": {"vehbench_oracle", "vehbench_hf"},
    "vehbench_runners": {"vehbench_oracle", "vehbench_hf"},
    "vehbench_cli": {"vehbench_oracle", "vehbench_hf", "vehbench_builder", "vehbench_runners"},
}
ENTRY = "vehbench_hf/__main__.py"
"""`python -m vehbench_hf` is the command line; it is the one file that imports upwards."""


def imports_of(file: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_follow_the_arrows(package: str) -> None:
    files = list(PACKAGES[package].rglob("*.py"))
    assert files
    for file in files:
        if file.as_posix().endswith(ENTRY):
            continue
        ours = {name.split(".")[0] for name in imports_of(file) if name.startswith("vehbench_")}
        assert ours <= MAY_IMPORT[package] | {package}, file


def test_the_command_line_loads_runners_and_builder_only_when_used() -> None:
    for file in PACKAGES["vehbench_cli"].rglob("*.py"):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and node.module:
                assert node.module.split(".")[0] not in ("vehbench_runners", "vehbench_builder"), file


def test_importing_the_package_stays_light() -> None:
    code = (
        "import sys, vehbench_hf, vehbench_hf.types, vehbench_hf.episodes, vehbench_cli\n"
        "heavy = {'datasets', 'evaluate', 'torch', 'vllm', 'matplotlib', 'pandas', 'pyarrow', 'scipy'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_pickle_eval_or_remote_code() -> None:
    for folder in PACKAGES.values():
        for file in folder.rglob("*.py"):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            assert not {"pickle", "dill", "marshal", "shelve"} & imports_of(file), file
            calls = {n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
            assert not {"eval", "exec"} & calls, file
            assert "trust_remote_code" not in file.read_text(encoding="utf-8"), file
