"""What vLLM is started with is what was asked for, and what cannot be meant is refused before anything is loaded."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from vehbench_hf.errors import UserError
from vehbench_hf.sampling import Sampling, Weights
from vehbench_runners.backend import RunStopped
from vehbench_runners.local.chat_template import Chat
from vehbench_runners.local.vllm_model import check_structured, engine_arguments
from vehbench_runners.local.vllm_server import server_command
from vehbench_runners.make import make_backend
from vehbench_runners.options import BackendOptions

ENGINE = {"tensor_parallel_size": 2, "pipeline_parallel_size": 3, "distributed_executor_backend": "ray"}


def test_weights_and_engine_arguments_reach_the_engine_and_prefixes_are_cached() -> None:
    weights = Weights(revision="abc", dtype="float16", quantization="awq", max_model_len=4096)
    assert engine_arguments("ORG/MODEL", weights, ENGINE) == {
        "model": "ORG/MODEL",
        "revision": "abc",
        "dtype": "float16",
        "quantization": "awq",
        "max_model_len": 4096,
        "enable_prefix_caching": True,
        **ENGINE,
    }
    assert engine_arguments("m", Weights(), {"enable_prefix_caching": False})["enable_prefix_caching"] is False
    assert "dtype" not in engine_arguments("m", Weights(), {})


@pytest.mark.parametrize("name", ["dtype", "revision", "quantization", "max_model_len", "model"])
def test_what_scores_depend_on_cannot_come_in_by_the_side_door(name: str) -> None:
    with pytest.raises(UserError, match=name):
        engine_arguments("m", Weights(), {name: "x"})


def test_code_that_comes_with_weights_is_refused() -> None:
    with pytest.raises(UserError, match="never run"):
        engine_arguments("m", Weights(), {"trust_remote_code": True})


def test_the_server_is_told_the_same_in_its_own_words() -> None:
    further: dict[str, Any] = {**ENGINE, "enforce_eager": True, "enable_lora": False, "hf_overrides": {"a": [1]}}
    further["allowed_media_domains"] = ["x", "y"]
    command = server_command(engine_arguments("m", Weights(dtype="float16"), further), "t.jinja")
    assert command[1:3] == ["-m", "vllm.entrypoints.openai.api_server"]
    text = " ".join(command)
    for expected in (
        "--model m",
        "--served-model-name m",
        "--dtype float16",
        "--enable-prefix-caching",
        "--tensor-parallel-size 2",
        "--enforce-eager",
        "--no-enable-lora",
        "--allowed-media-domains x y",
        "--chat-template t.jinja",
    ):
        assert re.search(rf"(^| ){re.escape(expected)}( |$)", text), expected
    assert json.loads(command[command.index("--hf-overrides") + 1]) == {"a": [1]}


def thinking(template: str = "<think>", **arguments: Any) -> Chat:
    chat = Chat("m", arguments=tuple(arguments.items()))
    chat.__dict__["template"] = template
    return chat


def test_a_schema_is_not_put_on_a_model_that_thinks_first() -> None:
    structured = Sampling(structured=True)
    with pytest.raises(RunStopped, match="reasoning_parser"):
        check_structured(structured, thinking(), {})
    check_structured(structured, thinking(), {"reasoning_parser": "qwen3"})
    check_structured(structured, thinking(enable_thinking=False), {})
    check_structured(structured, thinking("plain"), {})
    check_structured(Sampling(), thinking(), {})


def test_as_many_episodes_wait_as_the_engine_takes_sequences(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")

    def concurrency(concurrency: int | None = None, **engine: Any) -> int:
        options = BackendOptions(concurrency=concurrency, engine=engine)
        both = {
            make_backend(f"vllm/{tmp_path}", options=options).concurrency,
            make_backend(
                f"vllm/{tmp_path}", options=BackendOptions(concurrency=concurrency, engine=engine, managed_server=True)
            ).concurrency,
        }
        assert len(both) == 1
        return both.pop()

    assert concurrency() == 256
    assert concurrency(max_num_seqs=16) == 16
    assert concurrency(max_num_seqs=16, data_parallel_size=4) == 64
    assert concurrency(5, max_num_seqs=16) == 5
