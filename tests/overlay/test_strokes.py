# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Words stand beside the middle of their line where there is room for them."""

import numpy as np
import pytest
from pure_overlay import pure

strokes, projection = pure("strokes"), pure("projection")
SEEN = projection.Projection(np.diag([0.01, 0.01, -0.01, 1.0]), np.array([200.0, 200.0]))  # a unit is a pixel


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_words_are_beside_the_middle(scale):
    label = strokes.Label((-50.0, 10.0, 0.0), (30.0, 20.0, 0.0), "5 cm")
    assert label.pixels(SEEN, scale) == pytest.approx((90 + 8 * scale, 115 + 6 * scale))


def test_short_lines_have_no_words():
    long, short = (strokes.Label((0.0, 0.0, 0.0), (0.0, far, 0.0), "5 cm") for far in (19.0, 17.0))
    assert long.pixels(SEEN, 1.0)
    assert short.pixels(SEEN, 1.0) is None
    assert long.pixels(SEEN, 2.0) is None


def test_lines_that_go_behind_the_eye_have_no_words():
    eye = projection.Projection(
        np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, -1, -0.2], [0, 0, -1, 0]]), SEEN.size
    )
    assert strokes.Label((0.0, 0.0, -1.0), (1.0, 0.0, -1.0), "5 cm").pixels(eye, 1.0)
    assert strokes.Label((0.0, 0.0, -1.0), (1.0, 0.0, 1.0), "5 cm").pixels(eye, 1.0) is None


def test_a_path_goes_through_all_its_places():
    assert strokes.path((0, 0, 0), (1, 0, 0), (1, 1, 0)) == ((0, 0, 0), (1, 0, 0), (1, 0, 0), (1, 1, 0))
    assert strokes.path((0, 0, 0)) == ()
