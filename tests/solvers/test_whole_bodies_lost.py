# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Moments in which a body is in another pose, as in a first frame with its arms stretched out."""

import numpy as np
import pytest
from test_recorded_motion import FRAMES, RATE, SIZE, motion

from solvers.motion import find_doubts


def lost(rng, first, last, tracks):
    """What is not believed of five tracks, of which the first few are elsewhere in some frames."""
    places, rotations = motion(rng, tracks=5)
    places[first : last + 1, :tracks] += (0.5, -0.3, 0.4)
    return find_doubts(places, rotations, SIZE, RATE).any(axis=-1)


@pytest.mark.parametrize("first", [0, 70, FRAMES - 2])
def test_what_hardly_moved_meanwhile_is_not_believed_either(rng, first):
    doubts = lost(rng, first, first + 1, tracks=4)
    assert doubts[first : first + 2].all()
    assert np.flatnonzero(doubts[:, 4]).tolist() == [first, first + 1]


@pytest.mark.parametrize(("last", "tracks"), [(71, 2), (90, 4)])
def test_few_tracks_or_long_dropouts_say_nothing_of_the_others(rng, last, tracks):
    doubts = lost(rng, 70, last, tracks)
    assert doubts[70 : last + 1, :tracks].all()
    assert not doubts[:, tracks:].any()


@pytest.mark.parametrize(("first", "last"), [(0, 14), (FRAMES - 15, FRAMES - 1)])
def test_a_cut_near_an_end_is_believed_on_both_sides(rng, first, last):
    assert not lost(rng, first, last, tracks=4).any()
    assert lost(rng, first, last, tracks=2)[first : last + 1, :2].all()


def test_a_pose_in_which_a_body_waits_at_first_is_not_believed(rng):
    places, rotations = motion(rng, tracks=5)
    places[:15, :4] = places[0, :4] + (0.5, -0.3, 0.4)
    assert find_doubts(places, rotations, SIZE, RATE)[:15, :4].any(axis=-1).all()


@pytest.mark.filterwarnings("error")
def test_of_no_tracks_nothing_is_lost():
    assert find_doubts(np.zeros((9, 0, 3)), np.zeros((9, 0, 4)), SIZE, RATE).shape == (9, 0, 2)
