# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a body does, its hand dragged out of reach, once the mouse rests: hardly anything."""

import sys
from itertools import islice, pairwise

import armatures
import numpy as np
import pytest
import test_dragged_elbows
from test_dragged_elbows import Drags

pytestmark = [pytest.mark.usefixtures("rigify"), pytest.mark.once]

# Ways of the left hand that end some thirty centimetres out of reach, or just there: in metres.
WAYS = {"up": (0.2, 0.3, 1.2), "aside and up": (0.9, -0.3, 0.9), "aside": (1.0, 0.0, 0.2)}
OVER = (1.0, -0.6, 0.2)  # the spine turns over on the way
SEEN, LEAP, SLIDE = 3.0, 45.0, 18.0  # degrees
NEAR = 0.005  # metres
MOST = 12  # moves: so many on the spot, and a way in stages


@pytest.fixture
def drags(addon):
    return Drags(addon)


def rotations(drags, found):
    return drags.solvers.forward(found.skeleton, found.solution.pose)[0][0]


def turned(before, after):
    """The greatest angle between two sets of rotations (bones, 3, 3), degrees."""
    traces = np.einsum("bij,bij->b", before, after)
    return np.degrees(np.arccos(np.clip(0.5 * (traces - 1), -1, 1)).max())


def ways(way):
    """Of these one, and the others in the slow ring."""
    slow = (pytest.param(other, marks=pytest.mark.slow) for other in WAYS if other != way)
    return pytest.mark.parametrize("way", [way, *slow])


@ways("up")
def test_a_body_stays_as_its_moves_have_left_it(drags, way):
    *_, (drag, _) = drags.moves("L", WAYS[way])
    places = {row: drag.asked.targets[row] for row in drag.moved}
    moved = drag.move(places)
    assert turned(rotations(drags, moved), rotations(drags, drag.rest())) < SEEN


@ways("aside and up")
def test_nobody_waits_for_a_body_that_is_let_go(drags, way, monkeypatch):
    *_, (drag, _) = drags.moves("L", WAYS[way])
    asked, solving = [], drags.drag.solving

    def noted(drag, frame, settings):
        asked.append(settings)
        return solving(drag, frame, settings)

    monkeypatch.setattr(drags.drag, "solving", noted)
    drag.rest()
    assert 0 < len(asked) <= MOST
    assert all(settings.haste for settings in asked)


class Turning:
    """A drag of one bone, which moves on the spot turn by given angles about one axis, radians."""

    def __init__(self, solvers, turns):
        self.solvers, self.turns, self.angle = solvers, iter(turns), 0.0

    @property
    def pose(self):
        rotations = np.array([[[np.cos(0.5 * self.angle), np.sin(0.5 * self.angle), 0.0, 0.0]]])
        return self.solvers.Pose(rotations, np.zeros((1, 1, 3)))

    @pose.setter
    def pose(self, pose):
        self.angle = 2 * np.arctan2(pose.rotations[0, 0, 1], pose.rotations[0, 0, 0])

    def solving(self, _asked, _settings):
        self.angle += next(self.turns)
        yield
        return self.angle


@pytest.mark.parametrize(
    ("turns", "rests_at", "shown"),
    [
        ([0.02, 0.004, 0.0005, 0.00001, 0.0], 0.02451, []),
        ([0.3, 0.25, 0.06, 0.01, 0.001, 0.0], 0.621, [0.3, 0.55, 0.61]),  # a slide that comes to its end
        ([0.01, 0.008, 0.007], 0.01, []),  # a crawl
        ([0.02, 0.006, 0.08, 0.3, 0.4], 0.026, []),  # near, and then away
    ],
)
def test_moves_on_the_spot_end_where_they_get_no_nearer(addon, turns, rests_at, shown):
    """What turns on the way there so that it would be a leap is shown."""
    solvers, rest = (sys.modules[f"{addon.name}.{room}"] for room in ("solvers", "dragging.resting"))
    drag, seen = Turning(solvers, turns), []
    work = rest._drawn_near(drag, None, None, lambda angle, _pose: seen.append(angle))
    found = solvers.pauses.finished(work)
    np.testing.assert_allclose([found, drag.angle], rests_at, atol=1e-7)
    np.testing.assert_allclose(seen, shown, atol=1e-7)


def test_a_body_slides_to_another_pose_and_does_not_leap(drags, monkeypatch):
    monkeypatch.setattr(test_dragged_elbows, "STEP", 0.006)
    poses = [drag.pose.rotations[0] for drag, _ in islice(drags.moves("L", OVER), 41)]
    turns = drags.solvers.geometry.quaternion_to_matrix(np.array(poses))
    assert 0.5 * SLIDE < max(turned(*pair) for pair in pairwise(turns)) < SLIDE


def test_a_body_rests_in_one_pose_however_long_it_may_take_at_a_time(drags):
    poses = []
    for seconds in (np.inf, 0.0):
        (drag, _), found = list(drags.moves("L", WAYS["up"]))[-1], None
        while found is None:
            found = drag.rest(seconds)
        poses.append(found.solution.pose.rotations)
    np.testing.assert_array_equal(*poses)


def test_hips_go_down_over_legs_that_a_hand_far_out_has_stretched(drags):
    *_, (drag, _) = drags.moves("L", WAYS["aside and up"])
    drags.armature.write_pose(drag.rig, drags.ob, drag.rest().solution.pose)
    armatures.refresh()
    drag, row = drags.begin_with("spine")
    poses, begin = [], drag.begin.matrices[drag.rig.places[row]]
    for share in np.linspace(0, 1, 9):
        place = np.array(begin)
        place[2, 3] -= share * 0.4 * drags.metre
        found = drag.move({row: place})
        poses.append(rotations(drags, found))
        assert drag.miss(found) < NEAR * drags.metre
    assert max(turned(*pair) for pair in pairwise(poses)) < LEAP
    assert turned(poses[-1], rotations(drags, drag.rest())) < LEAP
