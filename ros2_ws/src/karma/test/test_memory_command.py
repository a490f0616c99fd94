# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""./karma memory, on the files of memories that no server has open."""

import json
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from karma.command import memory as module
from karma_memory import Code, Event, EventKind, Image, Memory, PolicySettings, SkillCall, SkillOutcome, SkillTarget

USER = "annabella"
PICTURE = bytes(range(256)) * 4
GUIDELINE = SimpleNamespace(
    text="Open the box first.", advice="before", confidence=0.5, successes=1, uses=2, utility=0.5
)


@pytest.fixture
def homes(tmp_path, monkeypatch):
    """Two memories that know her, one of them of another robot."""
    monkeypatch.setattr(module, "HOME", tmp_path)
    paths = [tmp_path / "flat.sqlite3", tmp_path / "robot2" / "house.sqlite3"]
    for path in paths:
        with Memory(path, embedder="lexical", capacity=3) as memory:
            image = Image.of("jpeg", PICTURE)
            memory.remember([Event("e1", EventKind.TOLD, 1.0, user=USER, text="quince is hers", image=image)])
            memory.remember([Event("e2", EventKind.TOLD, 2.0, user="bob", text="coffee is bob's")])
            memory.upkeep.snapshot()
    return paths


def run(*arguments, status=0):
    result = CliRunner().invoke(module.command, [*map(str, arguments)], input="n\n")
    assert result.exit_code == status, result.output
    return result.output


def test_show_says_what_is_kept_and_changes_nothing(homes):
    before = homes[0].read_bytes()
    said = run("show", "--user", USER)
    assert said.count("2 events of annabella") == 2
    assert said.count("told: quince is hers") == 2
    assert "bob" not in said
    assert homes[0].read_bytes() == before


def test_a_memory_in_which_nothing_happened_is_not_read_unless_it_is_named(homes, tmp_path):
    empty = tmp_path / "hoem1.sqlite3"
    Memory(empty, embedder="lexical", capacity=3).close()
    assert "hoem1" not in run("show", "--user", USER)
    assert "hoem1" in run("show", "--user", USER, "--database", empty)
    (tmp_path / "broken.sqlite3").write_bytes(b"SQLite format 3\0" + bytes(100))
    assert "broken.sqlite3" in run("show", "--user", USER, status=1)


def test_export_writes_all_of_it_and_nothing_of_others(homes, tmp_path):
    out = tmp_path / "hers.json"
    run("export", "--user", USER, "--out", out, "--database", homes[0])
    (data,) = json.loads(out.read_text())["memories"]
    assert [item["text"] for item in data["memories"]] == ["quince is hers"]
    assert list(data["pictures"]) == [Image.of("jpeg", PICTURE).sha256]
    assert "bob" not in out.read_text()


def test_forget_asks_and_reaches_every_memory(homes, tmp_path):
    assert "nothing is changed" in run("forget", "--user", USER, status=1)
    assert "annabella" in run("show", "--user", USER)
    assert run("forget", "--user", USER, "--yes").count("2 events erased, 1 pictures") == 2
    for path in tmp_path.rglob("*"):
        data = path.read_bytes() if path.is_file() else b""
        assert not [word for word in (b"annabella", b"quince", PICTURE) if word in data], path
    with Memory(homes[1], embedder="lexical", capacity=3) as memory:
        assert memory.settings == PolicySettings(capacity=3, policy=memory.settings.policy)
        assert [item["text"] for item in memory.users.data("bob")["memories"]] == ["coffee is bob's", "coffee: me"]


def test_a_file_that_is_not_there_is_not_made(homes, tmp_path):
    for name in ("show", "forget"):
        assert "there is no" in run(
            name, "--user", USER, "--database", tmp_path / "none", *["--yes"] * (name != "show"), status=1
        )
    assert not (tmp_path / "none").exists()


def test_the_running_graph_is_asked_first_and_the_files_that_it_does_not_have_are_read(homes, tmp_path, monkeypatch):
    elsewhere = str(tmp_path / "elsewhere" / "mine.sqlite3")
    asked = []

    def ask(namespace, kind, name, request, timeout):
        asked.append((namespace, name))
        return SimpleNamespace(recollections=[SimpleNamespace(id="guideline:g", guideline=[GUIDELINE])])

    monkeypatch.setattr(module, "database_of_graph", lambda namespace: elsewhere)
    monkeypatch.setattr(module, "_ask", ask)
    out = tmp_path / "out.json"
    said = run("guidelines", "--namespace", "robot2", "--json", out)
    assert said.startswith(f"asking the running graph for {elsewhere}\n")
    assert [line for line in said.splitlines() if line.startswith("reading")] == [f"reading {path}" for path in homes]
    assert asked == [("robot2", "recall")]
    assert "Open the box first." in said
    assert [row["memory"] for row in json.loads(out.read_text())["guidelines"]] == [elsewhere]
    assert "asking" not in run("guidelines", "--database", homes[0])
    monkeypatch.setattr(module, "database_of_graph", lambda namespace: str(homes[0]))
    said = run("guidelines", "--database", homes[0])
    assert f"asking the running graph for {homes[0]}\n" in said
    assert "reading" not in said


def test_whose_a_guideline_of_the_running_graph_is(homes, tmp_path, monkeypatch):
    def one(name, utility):
        said = SimpleNamespace(**{**vars(GUIDELINE), "text": name, "utility": utility})
        return SimpleNamespace(id=f"guideline:{name}", guideline=[said])

    own, everybodys, nobodys = one("her cup", 0.7), one("open first", 0.5), one("taught by nobody", 0.9)

    def ask(namespace, kind, name, request, timeout):
        assert (list(request.kinds), request.query) == (["guideline"], "")
        return SimpleNamespace(recollections=[own, everybodys] if request.user == USER else [nobodys, everybodys])

    monkeypatch.setattr(module, "database_of_graph", lambda namespace: str(homes[0]))
    monkeypatch.setattr(module, "_ask", ask)
    out = tmp_path / "out.json"

    def shown(*arguments):
        said = run("guidelines", "--database", homes[0], "--json", out, *arguments)
        return {row["text"]: row["owner"] for row in json.loads(out.read_text())["guidelines"]}, said

    found, said = shown("--user", USER)
    assert list(found.items()) == [("taught by nobody", ""), ("her cup", USER), ("open first", "")]
    assert "--user" not in said
    found, said = shown()
    assert found == {"taught by nobody": "", "open first": ""}
    assert "--user NAME" in said


def test_a_memory_that_another_process_has_is_read_and_changed_by_that_alone(homes, monkeypatch):
    monkeypatch.setattr(module, "database_of_graph", lambda namespace: "/elsewhere/mine.sqlite3")
    with Memory(homes[0], embedder="lexical") as memory:
        memory.remember([Event("e3", EventKind.TOLD, 3.0, user=USER, text="the pears are hers, too")])
        said = run("show", "--user", USER, "--database", homes[0])
        assert "told: the pears are hers, too" in said
        said = run("forget", "--yes", "--user", USER, "--database", homes[0], status=1)
    assert "is open in another process, which alone may change it: name its robot with --namespace" in said


def test_passwords_are_not_shown(homes, monkeypatch):
    monkeypatch.setattr(module, "database_of_graph", lambda namespace: "postgresql://karma:quince@127.0.0.1:1/robot")
    monkeypatch.setattr(module, "_ask", lambda *_: SimpleNamespace(recollections=[]))
    said = run("guidelines")
    assert "asking the running graph for postgresql://" in said
    assert "quince" not in said


@pytest.fixture
def told(tmp_path, monkeypatch):
    """A memory to which she told something of herself."""
    monkeypatch.setattr(module, "HOME", tmp_path)
    with Memory(tmp_path / "flat.sqlite3", embedder="lexical") as memory:
        for number, text in enumerate(("My sister Anna lives in Graz.", "We need milk.", "Remind me to fix the tap.")):
            memory.remember([Event(f"e{number}", EventKind.TOLD, 1.0 + number, user=USER, text=text)])
        memory.remember([Event("b", EventKind.TOLD, 9.0, user="bob", text="My sister Eve lives in Oslo.")])


def test_ask_says_what_was_told(told, tmp_path):
    out = tmp_path / "out.json"
    said = run("ask", "--user", USER, "Where does my sister live", "--json", out)
    assert said == f"reading {tmp_path / 'flat.sqlite3'}\nGraz\n  told: My sister Anna lives in Graz.\n"
    assert [row["value"] for row in json.loads(out.read_text())["answers"]] == ["Graz"]
    unknown = CliRunner().invoke(module.command, ["ask", "--user", USER, "When is my birthday?"], standalone_mode=False)
    assert unknown.return_value == 1
    assert "nothing that annabella told" in unknown.output


def test_fill_leaves_open_what_is_not_known(told, tmp_path):
    out = tmp_path / "out.json"
    run("fill", "--user", "bob", "Sister's name", "Address", "--json", out)
    assert [(row["field"], row["value"]) for row in json.loads(out.read_text())["fields"]] == [
        ("Sister's name", "Eve"),
        ("Address", ""),
    ]


def test_remind_says_what_is_to_do_and_to_buy(told):
    said = run("remind", "--user", USER, "--days", "3")
    assert "fix the tap" in said
    assert "to buy: milk" in said
    assert "nothing" not in run("remind", "--user", "nobody")


def test_guidelines_shows_what_was_learned_for_everybody_and_for_this_user(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "HOME", tmp_path)
    with Memory(tmp_path / "flat.sqlite3", embedder="lexical") as memory:
        for name, user, goal in (("a", USER, "hold(quince=Pie)"), ("b", USER, "hold(quince=Cup)")):
            episode = {"user": user, "scene": "home1", "episode": name}
            retried = {
                "goals": ("hold(quince=Pie|Cup)",),
                "retry_of": "a" if name == "b" else "",
                "text": "get me the quince",
            }
            memory.remember([Event(f"{name}1", EventKind.EPISODE_START, 1.0, **episode, **retried)])
            for number, code in enumerate((Code.EXECUTION_FAILURE, Code.SUCCESS)):
                call = SkillCall("OpenObject" if name == "a" or number else "ToggleOn", SkillTarget("Tin|1", "Tin"))
                done = SkillOutcome(call, Code.SUCCESS if name == "b" else code, "Locked." * (not number))
                memory.remember([Event(f"{name}2{number}", EventKind.SKILL_OUTCOME, 2.0, outcome=done, **episode)])
            end = Code.EXECUTION_FAILURE if name == "a" else Code.SUCCESS
            memory.remember([Event(f"{name}3", EventKind.EPISODE_END, 3.0, code=end, goals=(goal,), **episode)])
            memory.remember(
                [Event(f"{name}4", EventKind.FEEDBACK, 4.0, text="Said of it.", code=end, user=USER, episode=name)]
            )
    out = tmp_path / "out.json"
    assert "1 of 1" in run("guidelines", "--user", USER, "--json", out)
    found = {row["text"]: row["owner"] for row in json.loads(out.read_text())["guidelines"]}
    assert found == {'"quince" means Cup, not Pie.': USER}
    run("guidelines", "--json", out)
    assert json.loads(out.read_text())["guidelines"] == []
    assert "--user NAME" in run("guidelines")
    assert 'guideline: "quince" means Cup, not Pie.' in run("show", "--user", USER)


def test_a_backup_of_a_memory_that_is_written_is_put_back(homes, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "database_of_graph", lambda namespace: str(homes[0]))
    copy = tmp_path / "copy.sqlite3"
    with Memory(homes[0], embedder="lexical") as memory:
        said = run("backup", copy)
        assert f"of {homes[0]} are in {copy}, which is whole" in said
        memory.remember([Event("late", EventKind.TOLD, 4.0, user=USER, text="plums")])
        assert "exists" in run("backup", copy, status=1)
        refused = run("restore", copy, status=1)
        assert "another process has" in refused
        assert "Replace" not in refused
    monkeypatch.setattr(module, "database_of_graph", lambda namespace: "")
    assert "plums" in run("show", "--user", USER, "--database", homes[0])
    assert "name one with --database" in run("restore", copy, status=1)
    none, empty, broken = (tmp_path / name for name in ("none.sqlite3", "empty.sqlite3", "broken.sqlite3"))
    assert f"{none.name}' does not exist" in run("restore", none, status=2)
    empty.touch()
    broken.write_bytes(copy.read_bytes()[:5000])
    assert "empty.sqlite3 is empty, and no KARMA journal" in run("restore", empty, "--database", homes[0], status=1)
    assert "Replace" not in run("restore", broken, "--database", homes[0], status=1)
    assert "nothing is changed" in run("restore", copy, "--database", homes[0], status=1)
    assert "plums" in run("show", "--user", USER, "--database", homes[0])
    assert "erase them again" in run("restore", copy, "--database", homes[0], "--yes")
    said = run("show", "--user", USER, "--database", homes[0])
    assert "quince is hers" in said
    assert "plums" not in said
