# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Roots of many functions at once against roots that are known."""

import numpy as np
import pytest

from solvers.geometry.bracketed_roots import bracketed_roots

TAME_AND_WILD = {
    "straight": lambda t: t,
    "flat at the root": lambda t: t**5,
    "steep at the root": np.cbrt,
    "a jump": np.sign,
    "much flatter on one side": lambda t: np.where(t < 0, t * 1e-4, t),
    "exponential": lambda t: np.expm1(30 * t),
}


@pytest.mark.parametrize("shape", TAME_AND_WILD.values(), ids=list(TAME_AND_WILD))
@pytest.mark.parametrize("sign", [1, -1])
def test_roots_are_found_wherever_they_lie(rng, shape, sign):
    wanted = np.concatenate([rng.uniform(-1, 1, size=200), [-1.0, 1.0, 1e-13]])
    found = bracketed_roots(lambda x: sign * shape(x - wanted), np.full(203, -1.0), np.full(203, 1.0))
    assert np.allclose(found, wanted, rtol=0, atol=1e-13)


def test_where_nothing_changes_sign_the_low_end_comes_back():
    found = bracketed_roots(lambda x: x - np.array([0.5, 3.0]), np.zeros(2), np.ones(2))
    assert np.allclose(found, [0.5, 0.0], rtol=0, atol=1e-13)
