"""The log of a run: a folder with `run.json` (settings), `turns.jsonl` (one line a model call) and `scores.json`.

`turns.jsonl` only ever grows. Everything else, the scores included, can be computed again from it and the bank.
"""

from vehbench_hf.runlog.lines import read_turns
from vehbench_hf.runlog.recorded import write_recorded_run
from vehbench_hf.runlog.replay import ReplayedRun, replay_episode, replay_run, request_hash
from vehbench_hf.runlog.settings import RunSettings, read_run_json, run_folder_name, write_run_json
from vehbench_hf.runlog.writer import TurnWriter

__all__ = [
    "ReplayedRun",
    "RunSettings",
    "TurnWriter",
    "read_run_json",
    "read_turns",
    "replay_episode",
    "replay_run",
    "request_hash",
    "run_folder_name",
    "write_recorded_run",
    "write_run_json",
]
