# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""The real `ollama` client, talking to a real llama.cpp with a small model through the stand-in for the daemon."""

from __future__ import annotations

import argparse
import json
import os
import signal
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import ollama
import pytest
from ollama_stand_in import daemon
from ollama_stand_in.__main__ import named_file

pytestmark = pytest.mark.slow

SHORT = {"num_predict": 12, "temperature": 0, "seed": 0}
HELLO = [{"role": "user", "content": "Say hello."}]
FRUITS = {
    "type": "object",
    "properties": {"fruits": {"type": "array", "items": {"enum": ["apple", "pear"]}, "maxItems": 2}},
    "required": ["fruits"],
}


@pytest.fixture
def client(ollama_daemon: daemon.Daemon) -> ollama.Client:
    return ollama.Client(host=ollama_daemon.host, timeout=120.0)


@pytest.fixture
def model(ollama_daemon: daemon.Daemon) -> str:
    return ollama_daemon.model


def test_a_chat_is_the_same_in_whole_and_as_a_stream(client: ollama.Client, model: str) -> None:
    whole = client.chat(model=model, messages=HELLO, options=SHORT)
    parts = list(client.chat(model=model, messages=HELLO, options=SHORT, stream=True))
    assert whole.message.content
    assert "".join(part.message.content or "" for part in parts) == whole.message.content
    assert [part.done for part in parts] == [False] * (len(parts) - 1) + [True]
    assert (parts[-1].eval_count, parts[-1].prompt_eval_count) == (whole.eval_count, whole.prompt_eval_count)


def test_an_answer_ends_after_num_predict_tokens(client: ollama.Client, model: str) -> None:
    answer = client.generate(model=model, prompt="Count to a hundred.", options={**SHORT, "num_predict": 5})
    assert (answer.eval_count, answer.done_reason) == (5, "length")


def test_a_schema_fixes_the_form(client: ollama.Client, model: str) -> None:
    options = {**SHORT, "num_predict": 64}
    answer = client.generate(
        model=model, prompt="Name fruits.", system="You like fruit.", format=FRUITS, options=options
    )
    assert set(json.loads(answer.response)["fruits"]) <= {"apple", "pear"}
    refused = httpx.post(f"{client._client.base_url}/api/generate", json={"model": model, "prompt": "x", "format": 5})
    assert (refused.status_code, "invalid format" in refused.json()["error"]) == (400, True)


def test_what_there_is_and_what_is_loaded_is_told(client: ollama.Client, model: str) -> None:
    assert [one.model for one in client.list().models] == [model]
    assert client.show(model).modelinfo["llama.context_length"] == 8192
    client.chat(model=model, messages=HELLO, options={**SHORT, "num_ctx": 1024})
    assert [(one.model, one.context_length) for one in client.ps().models] == [(model, 1024)]
    assert httpx.get(f"{client._client.base_url}/api/version").json()["version"]


def test_a_model_is_unloaded_when_its_time_is_over(
    client: ollama.Client, model: str, eventually: Callable[..., bool]
) -> None:
    assert client.chat(model=model, messages=[], keep_alive="10ms").done_reason == "load"
    assert eventually(lambda: not client.ps().models)
    with pytest.raises(ollama.ResponseError, match="invalid duration"):
        client.chat(model=model, messages=HELLO, keep_alive="soon")


def test_of_a_long_conversation_the_newest_fits(client: ollama.Client, model: str) -> None:
    long = [{"role": "user", "content": "word " * 60}] * 9
    answer = client.chat(model=model, messages=[*long, *HELLO], options={**SHORT, "num_ctx": 512})
    assert answer.prompt_eval_count is not None
    assert answer.prompt_eval_count <= 512


@pytest.mark.parametrize("stream", [False, True])
def test_a_model_that_is_not_there(client: ollama.Client, stream: bool) -> None:
    with pytest.raises(ollama.ResponseError, match="model 'none:7b' not found") as refused:
        list(client.chat(model="none:7b", messages=HELLO, stream=stream))
    assert refused.value.status_code == 404


def test_an_impatient_client_leaves_and_the_next_is_served(ollama_daemon: daemon.Daemon, client: ollama.Client) -> None:
    hasty = ollama.Client(host=ollama_daemon.host, timeout=0.01)
    with pytest.raises(httpx.TimeoutException):
        hasty.chat(model=ollama_daemon.model, messages=HELLO, options=SHORT)
    stream = client.chat(model=ollama_daemon.model, messages=HELLO, options={"num_predict": 2000}, stream=True)
    next(iter(stream))
    stream.close()  # type: ignore[attr-defined]
    assert client.chat(model=ollama_daemon.model, messages=HELLO, options=SHORT).done


def test_a_server_that_goes_leaves_half_an_answer_and_then_nothing() -> None:
    if missing := daemon.missing():
        pytest.skip(f"./karma test installs {missing}")
    with daemon.running() as server:
        client = ollama.Client(host=server.host, timeout=120.0)
        stream = client.chat(model=server.model, messages=HELLO, options={"num_predict": 2000}, stream=True)
        next(iter(stream))
        os.kill(server.pid, signal.SIGKILL)
        with pytest.raises(httpx.TransportError):  # ended in the middle, or reset
            list(stream)
        with pytest.raises((ConnectionError, httpx.TransportError)):  # nobody there, or just going
            client.list()


def test_nothing_is_left_when_the_tests_are_killed(tmp_path: Path, eventually: Callable[..., bool]) -> None:
    if missing := daemon.missing():
        pytest.skip(f"./karma test installs {missing}")
    code = (
        "import sys, time, ollama; from ollama_stand_in import daemon\n"
        "with daemon.running() as d:\n"
        "    ollama.Client(host=d.host).chat(model=d.model, messages=[]); print(d.pid, flush=True); time.sleep(600)"
    )
    paths = os.pathsep.join([str(daemon.FOLDER), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": paths}
    with subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True) as tests:
        assert tests.stdout is not None
        pids = [int(tests.stdout.readline())]
        pids += _children(pids[0])
        tests.kill()
    assert len(pids) == 2
    assert eventually(lambda: not any(_alive(pid) for pid in pids))


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()] + [
        int(child)
        for thread in Path(f"/proc/{pid}/task").iterdir()
        if thread.name != str(pid)
        for child in (thread / "children").read_text().split()
    ]


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_model_file_of_ones_own_is_served_by_the_name_it_is_given(tmp_path: Path) -> None:
    file = tmp_path / "own.gguf"
    file.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, 0))
    assert named_file(f"own={file}") == ("own:latest", file)
    assert named_file(f"own:1b={file}") == ("own:1b", file)
    for wrong in (f"own={tmp_path / 'none'}", "own", f"own={__file__}"):
        with pytest.raises(argparse.ArgumentTypeError, match="own"):
            named_file(wrong)
