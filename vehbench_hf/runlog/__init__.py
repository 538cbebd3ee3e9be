"""The log of a run: a folder with `run.json` (settings), `turns.jsonl` (one line a model call) and `scores.json`.

`turns.jsonl` only ever grows. Everything else, the scores included, can be computed again from it and the bank.
`begin_run` begins a run, `load_run` reads one back.
"""

from vehbench_hf.runlog.begin import begin_run, make_folder
from vehbench_hf.runlog.lines import read_turns
from vehbench_hf.runlog.loaded_run import Run, load_run
from vehbench_hf.runlog.recorded import write_recorded_run
from vehbench_hf.runlog.replay import replay_episode, request_hash
from vehbench_hf.runlog.run_json import RunJson, read_run_json, write_run_json, write_scores
from vehbench_hf.runlog.settings import RunSettings, run_folder_name
from vehbench_hf.runlog.writer import TurnWriter

__all__ = [
    "Run",
    "RunJson",
    "RunSettings",
    "TurnWriter",
    "begin_run",
    "load_run",
    "make_folder",
    "read_run_json",
    "read_turns",
    "replay_episode",
    "request_hash",
    "run_folder_name",
    "write_recorded_run",
    "write_run_json",
    "write_scores",
]
