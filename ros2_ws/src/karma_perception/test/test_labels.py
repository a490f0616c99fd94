# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import json

import pytest

from karma_perception.detectors.labels import COCO, LabelError, labels_of_model, read_labels


def test_coco_is_counted_as_detectors_count_it():
    assert len(COCO) == 80
    assert (COCO[0], COCO[3], COCO[41], COCO[79]) == ("person", "motorcycle", "cup", "toothbrush")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", "cup\nbig plate\n\n"),
        ("a.json", '["cup", "big plate"]'),
        ("a.json", '{"0": "cup", "1": "big plate"}'),
        ("a.yaml", "names: [cup, big plate]"),
        ("a.yaml", "path: x\nnames:\n  1: big plate\n  0: cup\n"),
    ],
)
def test_labels_are_read_from_every_form(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    assert read_labels(tmp_path / name) == ("cup", "big plate")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", b""),
        ("a.txt", b"\xff\xfe\x00"),
        ("a.json", b"[1, [2]]"),
        ("a.json", b"{"),
        ("a.yaml", b"names: {0: a, 2: b}"),
        ("a.yaml", b"!!python/object/apply:os.system [ls]"),
        ("a.yaml", b"- a\n- ''\n"),
        ("a.yaml", b"names: [a, 2026-02-30]"),
        ("a.yaml", b"names: [a, !!int '']"),
    ],
)
def test_other_files_are_refused_by_name(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(LabelError, match=name):
        read_labels(tmp_path / name)


def test_missing_file_is_refused(tmp_path):
    with pytest.raises(LabelError, match="nothing"):
        read_labels(tmp_path / "nothing.txt")


def test_labels_are_made_fit_to_be_shown(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(["cup\x1b[31m \n now", "x" * 500]))
    shown = read_labels(tmp_path / "a.json")
    assert shown[0] == "cup [31m now"
    assert len(shown[1]) == 64


def test_model_s_own_labels_are_literals_never_code():
    assert labels_of_model("{0: 'cup', 1: 'plate'}") == ("cup", "plate")
    assert labels_of_model('["cup", "plate"]') == ("cup", "plate")
    for garbage in ("", "__import__('os').system('ls')", "{0: ", "(" * 100_000, "[1.5]", "{1: 'a'}"):
        assert labels_of_model(garbage) == ()
