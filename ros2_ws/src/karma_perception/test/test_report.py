# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
import io

import numpy as np
import pytest
from PIL import Image

from karma_perception.detectors.report import PictureError, read_depth, read_picture

RGB = np.zeros((6, 8, 3), np.uint8)


def test_a_picture_with_a_broken_part_is_refused(tmp_path):
    data = io.BytesIO()
    Image.fromarray(RGB).save(data, "PNG")
    file = tmp_path / "picture.png"
    file.write_bytes(data.getvalue())
    assert read_picture(file).shape == RGB.shape
    for part in (b"IDAT", b"IHDR"):
        file.write_bytes(data.getvalue().replace(part, b"\xff" * 4))
        with pytest.raises(PictureError, match=r"picture\.png"):
            read_picture(file)


def test_depth_whose_header_is_cut_short_is_refused(tmp_path):
    file = tmp_path / "depth.npy"
    np.save(file, np.ones((6, 8), np.float32))
    whole = file.read_bytes()
    assert read_depth(file, RGB).shape == (6, 8)
    for damaged in (whole[:40], whole.replace(b"}", b" "), whole.replace(b"(6, 8)", b"(6, 8,")):
        file.write_bytes(damaged)
        with pytest.raises(PictureError, match=r"depth\.npy"):
            read_depth(file, RGB)
