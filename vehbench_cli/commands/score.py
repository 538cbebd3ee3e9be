"""`vehbench score`: metrics of a run, from its log alone."""

from pathlib import Path

from vehbench_cli.lookup import bank_of
from vehbench_cli.options import ConventionOption, JsonOption, RunArgument, RunBankOption
from vehbench_cli.score_tables import print_isomorphic, print_scores
from vehbench_cli.tables import print_json
from vehbench_hf.bank.bank import Bank
from vehbench_hf.isomorphic.form_scores import IsomorphicScores, score_isomorphic_run
from vehbench_hf.runlog import load_run, write_scores
from vehbench_hf.scoring import Scores, score_run
from vehbench_hf.types import Convention


def score_command(
    run: RunArgument,
    convention: ConventionOption = None,
    bank: RunBankOption = None,
    as_json: JsonOption = False,
) -> None:
    """Score a run. No model is called; scores.json is written beside the log."""
    score_and_print(run, bank_of(run, bank), convention=convention, as_json=as_json)


def score_and_print(
    folder: Path, bank: Bank, *, convention: Convention | None = None, as_json: bool = False
) -> Scores | IsomorphicScores:
    """Score a run of the probes or of the isomorphism audit, and print the scores as a table or as JSON."""
    run = load_run(folder, bank)
    scores = score_isomorphic_run(run) if run.isomorphic else score_run(run, convention)
    write_scores(folder, scores)
    if as_json:
        print_json(scores)
    else:
        (print_isomorphic if run.isomorphic else print_scores)(scores)
    return scores
