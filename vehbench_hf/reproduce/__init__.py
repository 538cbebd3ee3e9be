"""Reproduction of the paper's tables from the authors' row logs. Start with `reproduce`."""

from vehbench_hf.reproduce.published import PrintedTable, read_published
from vehbench_hf.reproduce.render import render
from vehbench_hf.reproduce.reproduce import compare, reproduce
from vehbench_hf.reproduce.result import Reproduction, TableResult

__all__ = ["PrintedTable", "Reproduction", "TableResult", "compare", "read_published", "render", "reproduce"]
