# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs of which several bones share the twist: a solve turns one joint, and the others go with the limb.

All the twist is gathered at that joint, so that the limb is posed, and limited, as one whose bones are whole;
what has been found is divided. Bones that would twist by themselves would let a hand turn beyond its limit.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..geometry import Array, matvec, quaternion_to_matrix, rotation_vector_to_quaternion, unit
from ..limits import Hinge, group_limits, nearest_allowed
from .skeleton import Skeleton

_TRIED = 0.5  # radians to either side: a joint that may twist at all ends elsewhere
_SAME = 1e-3  # between entries of two rotation matrices


@dataclass(frozen=True, eq=False)
class LimbTwist:
    """``bones`` (m,) of a segment, each hanging on the one before, and the ``shares`` (m,) of its twist.

    ``at_end``: the last of the bones, the joint at the segment's end, keeps the rest; else the first does.
    """

    bones: list[int]
    shares: Array
    at_end: bool

    @property
    def joint(self) -> int:
        """The bone whose turn is shared."""
        return self.bones[-1 if self.at_end else 0]

    @property
    def others(self) -> list[int]:
        """The bones that share it."""
        return [bone for bone in self.bones if bone != self.joint]

    @cached_property
    def gathered(self) -> Array:
        """The shares (m,) where the joint has all the twist."""
        shares: Array = np.eye(len(self.bones))[-1 if self.at_end else 0]
        return shares

    def axes(self, skeleton: Skeleton) -> tuple[Array, Array]:
        """Return the lines between the heads of the bones, each (b, m - 1, 3): in the upper bone's frame, and
        in the rest frame of the lower one."""
        lines = unit(skeleton.offsets.take(self.bones[1:], axis=1))
        rests = quaternion_to_matrix(skeleton.rests.take(self.bones[1:], axis=1))
        return lines, matvec(np.swapaxes(rests, -1, -2), lines)


def limb_twists(skeleton: Skeleton) -> Iterator[LimbTwist]:
    """Yield the segments whose own bones share its twist.

    Shares that come to more than all of it are taken in proportion. A locked bone stops a segment from
    sharing.
    """
    segments: dict[tuple[str, str, bool], dict[int, float]] = {}
    for twist in skeleton.twists:
        if twist.carries:
            key = twist.first, twist.last, twist.at_end
            segments.setdefault(key, {})[skeleton.index(twist.bone)] = twist.share
    for (first, last, at_end), given in segments.items():
        way = skeleton.way(first, last)
        bones = way[way.index(min(given)) :] if at_end else way[: way.index(max(given)) + 1]
        if (skeleton.stiffness[bones] == 1).any():
            continue
        shares = np.array([given.get(bone, 0.0) for bone in bones]) / max(sum(given.values()), 1.0)
        shares[-1 if at_end else 0] = 1.0 - shares.sum()
        yield LimbTwist(bones, shares, at_end)


def gone_with_limbs(skeleton: Skeleton) -> Iterator[tuple[int, list[int]]]:
    """Yield joints that limits let twist, each with the bones that share its twist and could only twist.

    What may bend, too, or has a range of its own is a joint of its own.
    """
    for run in limb_twists(skeleton):
        others = [bone for bone in run.others if _only_twists(skeleton, bone)]
        if others and _may_twist(skeleton, run):
            yield run.joint, others


def _only_twists(skeleton: Skeleton, bone: int) -> bool:
    own = (limit for limit in skeleton.limits if limit.bone == skeleton.names[bone])
    return any(isinstance(limit, Hinge) and not limit.play and limit.goes_round for limit in own)


def _may_twist(skeleton: Skeleton, run: LimbTwist) -> bool:
    """Return whether limits let the joint turn about the segment."""
    name = skeleton.names[run.joint]
    groups = group_limits([limit for limit in skeleton.limits if limit.bone == name], {name: 0})
    outwards, inwards = run.axes(skeleton)
    axis = inwards[:1, -1] if run.at_end else outwards[:1, 0]
    both = rotation_vector_to_quaternion(np.array([[-_TRIED], [_TRIED]]) * axis)[:, None]
    ends = [nearest_allowed(group, both)[0] for group in groups]
    return all(bool(np.abs(end[0] - end[1]).max() > _SAME) for end in ends)
