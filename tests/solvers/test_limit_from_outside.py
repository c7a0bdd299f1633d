# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A kind of limit from outside, one class, in every place where limits of any kind have to work."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from near_rest import NearRestRows
from random_rigs import FREE, chain, human, random_pose, random_tree, targets_at

from solvers import Comfort, Effector, Hinge, forward, geometry, joints_at_limits, solve
from solvers.limits import Group, angles_outside


@dataclass(frozen=True, eq=False)
class NearRest(NearRestRows, Group):
    """A joint turns by no more than ``largest`` radians from rest, about whatever axis.

    One class for both parts: a value has a ``bone`` and a ``cushion``, the group ``bones`` and ``cushions``.
    """

    largest: np.ndarray = None
    bone: str = ""
    cushion: float = 0.0
    sort = "NEAR_REST"
    batch = 1
    geometry = geometry

    @classmethod
    def on(cls, bone, largest, cushion=0.0):
        return cls(np.empty(0, int), np.empty(0), np.array([largest]), bone, cushion)

    @classmethod
    def grouped(cls, limits, bones, cushions):
        return cls(bones, cushions, np.concatenate([limit.largest for limit in limits]))

    def members(self, keep):
        return replace(self, bones=self.bones[keep], cushions=self.cushions[keep], largest=self.largest[keep])


def turned_by(pose):
    return 2 * np.arctan2(np.linalg.norm(pose.rotations[..., 1:], axis=-1), np.abs(pose.rotations[..., 0]))


def limited(skeleton, largest=0.5, cushion=0.0):
    """Every other bone by the new kind, some of the others by a hinge."""
    own = [NearRest.on(bone, largest, cushion) for bone in skeleton.names[1::2]]
    return replace(skeleton, limits=(*own, *(Hinge(bone, (1, 0, 0), -1, 1) for bone in skeleton.names[2::4])))


@pytest.mark.parametrize("cushion", [0.0, 0.2])
@pytest.mark.parametrize("comfort", [False, True])
def test_a_kind_of_limit_from_outside_is_kept_and_targets_are_met(rng, comfort, cushion):
    skeleton = limited(random_tree(rng, 10, freedom=FREE), cushion=cushion)
    if comfort:
        skeleton = replace(
            skeleton, comforts=tuple(Comfort(bone, (1, 0, 0, 0), 0.5) for bone in skeleton.names)
        )
    effectors = [Effector(bone) for bone in (skeleton.names[-1], skeleton.names[5])]
    near = solve(
        skeleton,
        random_pose(rng, skeleton, 12),
        effectors,
        targets_at(skeleton, random_pose(rng, skeleton, 12), effectors),
    )
    assert (turned_by(near.pose)[:, 1::2] <= 0.5 + 1e-6).all()
    found = solve(
        skeleton, random_pose(rng, skeleton, 12), effectors, targets_at(skeleton, near.pose, effectors)
    )
    assert (turned_by(found.pose)[:, 1::2] <= 0.5 + 1e-6).all()
    assert found.converged.mean() > 0.9


def test_what_presses_on_a_limit_from_outside_is_as_near_as_more_steps_bring_it(rng):
    """A bent chain, its end pulled sideways out of reach: all joints at their limits, and told so."""
    bones = 6
    skeleton = replace(chain(bones), limits=tuple(NearRest.on(bone, 0.2) for bone in chain(bones).names))
    end = Effector(skeleton.names[-1], (0, 1 / bones, 0), rotation_weight=0.0)
    pose = random_pose(rng, skeleton, 1, spread=0.05)
    targets = replace(targets_at(skeleton, pose, [end]), positions=np.array([[[0.9, -0.2, 0.0]]]))
    found = solve(skeleton, pose, [end], targets)
    assert (turned_by(found.pose) <= 0.2 + 1e-6).all()
    assert joints_at_limits(skeleton, found.pose).all()
    # All joints turn the same way by all they may: sums of cosines and sines.
    angles = 0.2 * np.arange(1, bones + 1)
    end_point = np.array([np.sin(angles).sum(), np.cos(angles).sum(), 0]) / bones
    least = np.linalg.norm(end_point - [0.9, -0.2, 0])
    assert found.position_residuals[0, 0] == pytest.approx(least, abs=1e-5)
    assert forward(skeleton, found.pose)[1].shape == (1, bones, 3)


def test_angles_outside_a_limit_from_outside():
    turn = np.array([[np.cos(0.4), np.sin(0.4), 0, 0]])
    assert angles_outside([NearRest.on(human().names[3], 0.5)], turn) == pytest.approx(0.3, abs=1e-9)
