"""The import arrows of the project, and what importing it may cost."""

import ast
import subprocess
import sys
from collections import Counter
from graphlib import TopologicalSorter
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


LAZY_IMPORTS = {
    "vehbench_oracle": (0, "it is all needed at once"),
    "vehbench_hf": (16, "pyarrow loads with the first table, not with the package"),
    "vehbench_builder": (0, "whoever imports it builds or audits"),
    "vehbench_runners": (8, "a backend loads when its name is used"),
    "vehbench_cli": (34, "a command loads what it runs"),
}
"""The most imports of our modules within functions, and why there are any."""


def module_files() -> dict[str, Path]:
    """Every module by its dotted name; a package is its `__init__`."""
    files: dict[str, Path] = {}
    for package, folder in PACKAGES.items():
        for file in folder.rglob("*.py"):
            parts = (package, *file.relative_to(folder).with_suffix("").parts)
            files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return files


MODULES = module_files()
TREES = {name: ast.parse(file.read_text(encoding="utf-8")) for name, file in MODULES.items()}


def imported_modules(tree: ast.AST) -> set[str]:
    """Our modules that a module imports, within functions and for type checking only as well."""
    targets: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            targets.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            targets |= {name if name in MODULES else node.module for name in names}
    return targets & MODULES.keys()


def imports_of(file: Path) -> set[str]:
    """Everything a file imports, by the names it is imported with."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_follow_the_arrows(package: str) -> None:
    files = list(PACKAGES[package].rglob("*.py"))
    assert files
    for file in files:
        if file.as_posix().endswith(ENTRY):
            continue
        ours = {name.split(".")[0] for name in imports_of(file) if name.startswith("vehbench_")}
        assert ours <= MAY_IMPORT[package] | {package}, file


def test_no_module_imports_itself_in_a_circle() -> None:
    graph = {name: imported_modules(tree) for name, tree in TREES.items()}
    order = list(TopologicalSorter(graph).static_order())  # raises CycleError, which names the circle
    assert len(order) == len(MODULES)


def test_imports_within_functions_stay_few() -> None:
    for package, (most, reason) in LAZY_IMPORTS.items():
        lazy = set()
        for name, tree in TREES.items():
            if name.split(".")[0] == package:
                functions = [
                    node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
                ]
                inside = {node for function in functions for node in ast.walk(function)}
                lazy |= {node for node in inside if isinstance(node, ast.ImportFrom) and imported_modules(node)}
        assert len(lazy) <= most, f"{package} has {len(lazy)} imports within functions, {most} are meant: {reason}"


def test_the_command_line_loads_runners_and_builder_only_when_used() -> None:
    cli = {name: tree for name, tree in TREES.items() if name.split(".")[0] == "vehbench_cli"}
    assert len(cli) > 20
    for name, tree in cli.items():
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.module:
                assert node.module.split(".")[0] not in ("vehbench_runners", "vehbench_builder"), name


def test_importing_the_package_stays_light() -> None:
    code = (
        "import sys, vehbench_hf, vehbench_hf.types, vehbench_hf.episodes, vehbench_cli\n"
        "heavy = {'datasets', 'evaluate', 'torch', 'vllm', 'matplotlib', 'pandas', 'pyarrow', 'scipy'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_pickle_eval_or_remote_code() -> None:
    assert len(MODULES) > 200
    for name, file in MODULES.items():
        assert not {"pickle", "dill", "marshal", "shelve"} & imports_of(file), name
        nodes = list(ast.walk(TREES[name]))
        calls = {n.func.id for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
        assert not {"eval", "exec"} & calls, name
        assert "trust_remote_code" not in file.read_text(encoding="utf-8"), name


def test_files_and_folders_stay_small() -> None:
    for name, file in MODULES.items():
        lines = len(file.read_text(encoding="utf-8").splitlines())
        assert lines <= 300, f"{name} has {lines} lines"
    for folder, count in Counter(file.parent for file in MODULES.values()).items():
        assert count <= 20, f"{folder} holds {count} modules"


def test_a_file_name_is_used_at_most_twice() -> None:
    of_a_table = {"__init__.py", "domain.py", "p1.py", "p2.py", "p3.py", "p4.py"}
    names = Counter(file.name for file in MODULES.values() if file.name not in of_a_table)
    assert {name: count for name, count in names.items() if count > 2} == {}


def test_modules_and_classes_have_words_of_the_field() -> None:
    literary = {"course", "habits", "meter", "settle", "taken", "turnstile"}
    for name, tree in TREES.items():
        classes = [node.name.strip("_").lower() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
        assert not {name.split(".")[-1], *classes} & literary, name


def test_tests_share_plain_modules() -> None:
    scripts = {"test_spaces.py", "test_openai_outcomes.py"}  # they run files of the product that are no modules
    assert (REPOSITORY / "tests" / "support").is_dir()
    users = {file.name for file in (REPOSITORY / "tests").rglob("*.py") if "runpy" in imports_of(file)}
    assert users <= scripts
