"""`python -m vehbench_hf` is the `vehbench` command."""

from vehbench_cli import main

if __name__ == "__main__":
    main()
