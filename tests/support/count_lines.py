"""Lines of Python by folder: the package's, and the tests'. `python tests/support/count_lines.py`."""

import sys
from collections import Counter
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGES = ("oracle", "vehbench_hf", "dataset_builder", "runners", "vehbench_cli", "metrics")


def lines_by_folder(root: Path) -> Counter[str]:
    """Lines of the Python files below a folder, by folder down to the third level."""
    lines: Counter[str] = Counter()
    for file in sorted(root.rglob("*.py")):
        folder = file.relative_to(REPOSITORY).parts[:-1]
        lines["/".join(folder[:3])] += len(file.read_text(encoding="utf-8").splitlines())
    return lines


def main() -> None:
    """Print the two tables with their sums."""
    for title, folders in (("package", PACKAGES), ("tests", ("tests",))):
        lines: Counter[str] = Counter()
        for name in folders:
            lines.update(lines_by_folder(REPOSITORY / name))
        for folder, count in sorted(lines.items()):
            sys.stdout.write(f"{count:7,}  {folder}\n")
        sys.stdout.write(f"{sum(lines.values()):7,}  {title}\n\n")


if __name__ == "__main__":
    main()
