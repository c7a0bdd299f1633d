# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is quick is not lost: where few frames are between, and amid noise."""

import numpy as np
import pytest

from solvers.motion import find_doubts

SIZE, STILL = 1.75, (1.0, 0.0, 0.0, 0.0)


def thrown(rate, seconds, height):
    """A hand that is idle for two seconds, goes up and down within some, and is idle again."""
    time = np.arange(round(4 * rate)) / rate
    share = np.clip((time - 2) / seconds + 0.5, 0, 1)
    places = np.stack([0.2 * np.sin(2 * time), 0.02 * np.sin(5 * time + 1), np.zeros_like(time)], axis=-1)
    places[:, 2] = height * (0.5 - 0.5 * np.cos(2 * np.pi * share))
    return places[:, None], np.tile(STILL, (len(time), 1, 1))


@pytest.mark.parametrize("rate", [24.0, 25.0, 30.0, 60.0, 120.0])
@pytest.mark.parametrize("seconds", [0.3, 0.4, 0.5, 0.8])
@pytest.mark.parametrize("height", [0.2, 0.4, 0.6, 0.8])
def test_what_goes_up_and_down_quickly_is_believed(rate, seconds, height):
    assert not find_doubts(*thrown(rate, seconds, height), SIZE, rate).any()


@pytest.mark.parametrize("rate", [24.0, 30.0, 60.0])
def test_a_spike_amid_much_noise_is_found(rng, rate):
    """Noise of 2 cm hides one of 15 cm less than quick motion would that is as large mostly."""
    places, rotations = thrown(rate, 0.8, 0.3)
    places = places + 0.02 / np.sqrt(3) * rng.normal(size=places.shape)
    spiky = np.arange(12, len(places) - 12, 17)
    places[spiky, 0, 1] += 0.15 * np.where(np.arange(len(spiky)) % 2, 1, -1)
    found = np.flatnonzero(find_doubts(places, rotations, SIZE, rate)[:, 0, 0])
    assert len(np.intersect1d(found, spiky)) >= 0.6 * len(spiky)
    assert len(np.setdiff1d(found, spiky)) <= 1
