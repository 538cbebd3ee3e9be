"""Every metric app starts and computes its example in a browser."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from vehbench_hf.metrics import METRICS
from vehbench_hf.metrics.example import example
from vehbench_hf.metrics.space import answer

FOLDER = Path(__file__).resolve().parents[2] / "metrics"
WAIT_S = 120.0


def test_an_app_answers_bad_input_in_words() -> None:
    answers, rows = example("p4_tau")
    good = json.loads(answer("p4_tau", json.dumps(answers), json.dumps(rows), "the bank's"))
    assert (good["p4_tau"], good["convention"]) == (1.0, "defined")
    assert json.loads(answer("p4_tau", json.dumps(answers), json.dumps(rows), "released"))["convention"] == "released"
    for said, words in (
        ("[", "predictions: no JSON"),
        ("{}", "predictions: expected a JSON list"),
        ("[1]", "1 predic"),
    ):
        assert answer("p4_tau", said, json.dumps(rows), "defined").startswith(f"error: {words}")
    assert answer("p4_tau", "[" * 100_000, "[]", "defined").startswith("error: predictions: no JSON")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless Chromium; skips where a part of it is absent."""
    pytest.importorskip("gradio", reason="the apps need gradio")
    webdriver: Any = pytest.importorskip("selenium.webdriver", reason="the browser is driven by selenium")
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip("needs chromium and chromedriver (Debian: chromium chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield opened
    opened.quit()


@pytest.fixture
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a started app."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        **os.environ,
        "GRADIO_SERVER_PORT": str(port),
        "GRADIO_SERVER_NAME": "127.0.0.1",
        "GRADIO_ANALYTICS_ENABLED": "False",
        "HF_HUB_OFFLINE": "1",
        "HF_HOME": str(tmp_path),
    }
    log = (tmp_path / "app.log").open("w")
    folder = FOLDER / request.param
    app = subprocess.Popen([sys.executable, "app.py"], cwd=folder, env=environment, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"
    try:
        end = time.monotonic() + WAIT_S
        while True:
            assert app.poll() is None, (tmp_path / "app.log").read_text()
            try:
                urllib.request.urlopen(address, timeout=5).close()
                break
            except OSError:
                assert time.monotonic() < end, (tmp_path / "app.log").read_text()
                time.sleep(0.3)
        yield address
    finally:
        app.terminate()
        app.wait(20)
        log.close()


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "served"), [(name, name) for name in METRICS], indirect=["served"])
def test_an_app_computes_its_example(browser: Any, served: str, metric: str) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait

    browser.get(served)
    button = WebDriverWait(browser, WAIT_S).until(lambda b: b.find_element(By.CSS_SELECTOR, "#compute"))
    button.click()
    shown = WebDriverWait(browser, WAIT_S).until(
        lambda b: b.find_element(By.CSS_SELECTOR, "#result textarea").get_attribute("value")
    )
    found = json.loads(shown)
    assert (found[metric], found["n"]) == (1.0, 5)
