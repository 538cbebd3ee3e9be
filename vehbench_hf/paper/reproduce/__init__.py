"""Reproduction of the paper's tables from the authors' release. Start with `reproduce`."""

from vehbench_hf.paper.reproduce.cells import PrintedTable, read_published
from vehbench_hf.paper.reproduce.inputs import Inputs, read_inputs
from vehbench_hf.paper.reproduce.render import render
from vehbench_hf.paper.reproduce.reproduce import compare, reproduce
from vehbench_hf.paper.reproduce.result import Reproduction, TableResult

__all__ = [
    "Inputs",
    "PrintedTable",
    "Reproduction",
    "TableResult",
    "compare",
    "read_inputs",
    "read_published",
    "render",
    "reproduce",
]
