"""`python -m vehbench_hf` is the `vehbench` command."""

from vehbench_hf.cli import main

if __name__ == "__main__":
    main()
