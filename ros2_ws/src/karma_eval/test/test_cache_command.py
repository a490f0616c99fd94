# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""`./karma bench cache`: what it prints, writes and refuses."""

import json

import pytest
from click.testing import CliRunner

from karma_eval.cache import theine_peer
from karma_eval.cache.command import command


@pytest.fixture
def trace(tmp_path):
    file = tmp_path / "traces" / "small.trace"
    file.parent.mkdir()
    file.write_text("".join(f"{i % 7}\n*\n" for i in range(70)), encoding="utf-8")
    return file


@pytest.fixture
def bench(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(command, [str(argument) for argument in arguments])


def test_one_trace_at_one_capacity_is_one_object_with_every_policy(bench, trace, tmp_path):
    ran = bench("--trace", trace, "--capacity", 5, "--json", tmp_path / "f.json")
    assert ran.exit_code == 0, ran.output
    figures = json.loads((tmp_path / "f.json").read_text())
    assert (figures["trace"], figures["capacity"], figures["requests"]) == ("small", 5, 70)
    assert {"FIFO", "FIFO+merge", "LRU", "LFU", "KARMA 9+1", "W-TinyLFU adaptive", "OPT"} <= set(figures["policies"])
    assert ("theine" in figures["policies"]) == theine_peer.available() == ("not installed" not in ran.output)
    assert figures["policies"]["LRU"]["hit_rate"] == 0.0
    # Of the 63 uses after the first round the optimum hits 4 in 6: it passes the others through one place.
    assert figures["policies"]["OPT"]["hit_rate"] == pytest.approx(100 * 42 / 70, abs=2.0)
    assert all(score["ns_per_op"] > 0 for score in figures["policies"].values())


def test_several_capacities_are_a_list_and_a_picture(bench, trace, tmp_path):
    ran = bench("--data", tmp_path, "--capacity", 3, "--capacity", 8, "--json", tmp_path / "f.json")
    assert ran.exit_code == 0, ran.output
    assert [figures["capacity"] for figures in json.loads((tmp_path / "f.json").read_text())] == [3, 8]
    assert (tmp_path / "out/bench/cache-small.png").stat().st_size > 0


def test_what_cannot_be_run_is_said(bench, trace, tmp_path):
    assert "name a trace" in bench().output
    assert "needs MEMENTO" in bench("--trace", trace, "--household", "x.txt").output
    (tmp_path / "bad.trace").write_bytes(b"")
    refused = bench("--trace", tmp_path / "bad.trace")
    assert refused.exit_code == 1
    assert "no access" in refused.output
    (tmp_path / "nothing").mkdir()
    assert "neither traces/" in bench("--data", tmp_path / "nothing").output
    assert "No such file" in bench("--data", tmp_path, "--household", tmp_path / "h.txt").output
