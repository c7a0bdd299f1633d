# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded tracks that are taken for each other, for however long."""

import numpy as np
import pytest
from test_recorded_motion import FRAMES, RATE, SIZE, motion, noisy

from solvers.motion import find_exchanges

OWN = np.arange(4)


def recorded(rng, noise):
    """Four tracks about a metre apart."""
    places, rotations = motion(rng, tracks=4)
    places += np.array([[0, 0, 0], [1.2, 0, 0], [0, 1.2, 0], [1.2, 1.2, 0]])
    return (noisy(rng, places) if noise else places), rotations


def taken(rows, *values):
    """The values with the first two tracks taken for each other in some rows."""
    values = tuple(value.copy() for value in values)
    for value in values:
        value[rows, :2] = value[rows, 1::-1]
    return values


def in_which(places, rotations):
    """In which frames tracks are taken for each other; always the first two."""
    found = find_exchanges(places, rotations, SIZE, RATE)
    exchanged = (found != OWN).any(axis=1)
    assert (found[exchanged] == (1, 0, 2, 3)).all()
    return np.flatnonzero(exchanged).tolist()


@pytest.mark.parametrize("noise", [False, True])
@pytest.mark.parametrize(("first", "last"), [(40, 43), (40, 54), (20, 99), (10, 139), (110, 149), (0, 30)])
def test_tracks_are_put_right_however_long_they_are_taken_for_each_other(rng, first, last, noise):
    places, rotations = recorded(rng, noise)
    given = taken(slice(first, last + 1), places, rotations)
    assert in_which(*given) == list(range(first, last + 1))
    found = find_exchanges(*given, SIZE, RATE)
    assert np.array_equal(given[0][np.arange(FRAMES)[:, None], found], places)


@pytest.mark.parametrize("spiked", [(71,), (37, 71), (38, 72)], ids=str)
def test_a_spike_beside_an_end_does_not_hide_it(rng, spiked):
    places, rotations = recorded(rng, True)
    places, rotations = taken(slice(40, 70), places, rotations)
    places[list(spiked), 0] += (0.0, 0.0, 3.0)
    assert set(range(41, 69)) <= set(in_which(places, rotations)) <= set(range(39, 71))


def test_nothing_is_taken_for_another_amid_noise_spikes_and_dropouts(rng):
    places, rotations = recorded(rng, True)
    spikes = rng.random((FRAMES, 4)) < 0.02
    places[spikes] += rng.normal(size=(spikes.sum(), 3))
    places[50:65, :2] = 0.0
    assert in_which(places, rotations) == []


def test_tracks_that_bounce_off_each_other_do_not_go_through(rng):
    """Hands that clap turn back, and each could be the other that goes on."""
    time = np.arange(FRAMES) / RATE
    away = 0.02 + 0.5 * np.abs(np.sin(3 * time))
    places, rotations = recorded(rng, False)
    places[:, :2] = away[:, None, None] * np.array([[-1, 0, 0], [1, 0, 0]])
    assert in_which(places, rotations[:, [0, 0, 2, 3]]) == []


@pytest.mark.parametrize("held", [4, 6, 12])
@pytest.mark.parametrize("times", [2, 9])
def test_poses_that_are_held_by_their_keys_may_exchange_feet(held, times):
    """As they do in place, one before the other."""
    ways = np.array([[[0.3, 0, 0], [-0.3, 0, 0]], [[-0.3, 0, 0], [0.3, 0, 0]]])
    places = ways[np.arange(times).repeat(2 * held) % 2]
    rotations = np.broadcast_to([1.0, 0, 0, 0], (*places.shape[:2], 4))
    assert (find_exchanges(places, rotations, SIZE, RATE) == OWN[:2]).all()


def test_an_end_that_is_hidden_is_where_one_was_lost(rng):
    places, rotations = recorded(rng, True)
    given, turned = taken(slice(60, 90), places, rotations)
    given[85:95, 0], turned[85:95, 0] = 3.0, (0.0, 1.0, 0.0, 0.0)
    found = in_which(given, turned)
    assert set(range(60, 85)) <= set(found) <= set(range(60, 95))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("frames", [1, 2, 3, 4, 5])
def test_short_clips_and_what_is_not_finite_are_taken_as_they_are(rng, frames):
    places, rotations = recorded(rng, False)
    places[2, 0] = np.nan
    assert (find_exchanges(places[:frames], rotations[:frames], SIZE, RATE) == OWN).all()
