# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a foot stands on: its ball, over which it rolls, and what of it touches the ground.

A pinned foot holds by its sole. Its ball stays before its ankle does, and neither toes nor heel go below the
ground, so the sole stays flat as far as the ankle bends, and then the heel lifts over toes that stay.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
from bpy.types import Bone, Object, PoseBone
from mathutils import Vector

from ...bodies import Body
from ...solvers.geometry import Array
from ..setup.body import recognised_body
from ..setup.effectors import is_effector

Point = tuple[float, float, float]
Spot = tuple[str, Point]

_FEET = ("foot", "forefoot", "hindfoot", "leg")  # how the holds begin by which bodies stand
_HEEL = 0.25  # how far behind the ankle a heel is, of the way from there to the ball
_UPRIGHT = 0.9  # the cosine of the angle from which on a body at rest leans from its armature's axes
_LOW = 1e-3  # of the foot's length: a ball that is not lower than its ankle carries nothing


@dataclass(frozen=True)
class Sole:
    """What the foot of an effector stands on, as it is at rest: points are in the frames of their bones.

    ``ball``: the point of the ``foot`` over which it rolls. ``toe``: the tip of its toe, if it has one; the
    tips of several are ``ends``, as are those of heels. ``clearances``: how far ball, toe and each of the
    ends are above the ground. ``up``: away from the ground, in the foot's frame.
    """

    foot: str
    ball: Point
    toe: Spot | None
    ends: tuple[Spot, ...]
    clearances: tuple[float, ...]
    up: Point

    @property
    def spots(self) -> tuple[Spot, ...]:
        """All points that it stands on: ball, toe and ends."""
        return ((self.foot, self.ball), *((self.toe,) if self.toe else ()), *self.ends)

    @property
    def bones(self) -> tuple[str, ...]:
        """The foot, and the toes that bend as it rolls."""
        return tuple(dict.fromkeys(bone for bone, _ in self.spots))

    @property
    def count(self) -> int:
        """How many goals hold it: a place for ball and toe, a plane for each of the ends."""
        return len(self.spots)


def soles_of(ob: Object, bones: Collection[PoseBone], blocked: Collection[str]) -> tuple[Sole, ...]:
    """Return the soles by which those of the bones hold that are pinned; ``blocked`` ones do not bend."""
    pinned = [bone for bone in bones if _holds_by_sole(bone)]
    return tuple(_found(recognised_body(ob), ob, [bone.name for bone in pinned], blocked)) if pinned else ()


def underside_of(bone: PoseBone) -> Array:
    """Return the points (n, 3) in the scene with which a foot of a recognised body, as it is posed, touches
    level ground; none of any other bone.
    """
    ob = bone.id_data
    sole = next(_found(recognised_body(ob), ob, [bone.name], ()), None)
    if sole is None:
        return np.zeros((0, 3))
    up = bone.matrix.to_3x3() @ Vector(sole.up)
    ends = [ob.pose.bones[name].matrix @ Vector(point) for name, point in sole.spots]
    touching = [end - high * up for end, high in zip(ends, sole.clearances, strict=True)]
    return np.array([ob.matrix_world @ point for point in touching])


def _holds_by_sole(bone: PoseBone) -> bool:
    """Return whether an effector is pinned in place and turn, so that its sole has a place."""
    if not is_effector(bone):
        return False
    settings = bone.superpose
    is_whole = all((*settings.position_axes, *settings.rotation_axes))
    weighs = settings.position_weight > 0 and settings.rotation_weight > 0
    return settings.hold == 'PINNED' and settings.use_sole and is_whole and weighs


def _found(body: Body, ob: Object, names: Collection[str], blocked: Collection[str]) -> Iterator[Sole]:
    feet = {bone for hold, bone in body.holds().items() if hold.startswith(_FEET)}
    if body.up is None:
        return
    for name in names:
        sole = _sole(body, ob.data.bones[name], blocked) if name in feet else None
        if sole is not None:
            yield sole


def _sole(body: Body, foot: Bone, blocked: Collection[str]) -> Sole | None:
    """Return what the foot stands on at rest; None where its end is no lower than its ankle."""
    toes = [bone for bone in foot.children if _is_toe(body, bone)]
    others = [bone for bone in foot.children if bone not in toes]
    ankle, up = _array(foot.head_local), _upright(body.up)
    ball = np.mean([_array(toe.head_local) for toe in toes] or [_array(foot.tail_local)], axis=0)
    if (ankle - ball) @ up <= _LOW * np.linalg.norm(ankle - ball):
        return None
    tips = [(toe if toe.name not in blocked else foot, _tip(toe)) for toe in toes]
    heels = [end for bone in others for end in _ends(bone) if (end - ankle) @ up < 0]
    level = min(point @ up for point in (ball, *(tip for _, tip in tips), *heels))
    below = ankle + _HEEL * (ankle - ball)
    ends = [(foot, heel) for heel in heels or [below - (below @ up - level) * up]]
    toe, ends = (tips[0], ends) if len(tips) == 1 else (None, [*tips, *ends])
    points = [ball, *([toe[1]] if toe else []), *(point for _, point in ends)]
    return Sole(
        foot.name,
        _in_frame(foot, ball),
        _spot(*toe) if toe else None,
        tuple(_spot(*end) for end in ends),
        tuple(float(point @ up - level) for point in points),
        _turned_into_frame(foot, up),
    )


def _upright(up: Array) -> Array:
    """Return the axis of the armature that is up: what bodies stand on is square to one, if nearly."""
    axis = np.where(np.arange(3) == np.abs(up).argmax(), np.sign(up), 0.0)
    return axis if axis @ up > _UPRIGHT else up


def _is_toe(body: Body, bone: Bone) -> bool:
    role = body.roles.get(bone.name)
    return role is not None and role.part == "toe"


def _tip(toe: Bone) -> Array:
    """Return the end of a toe of one or more bones."""
    return _array(([toe, *toe.children_recursive])[-1].tail_local)


def _ends(bone: Bone) -> Iterator[Array]:
    for part in (bone, *bone.children_recursive):
        yield from (_array(part.head_local), _array(part.tail_local))


def _spot(bone: Bone, point: Array) -> Spot:
    return bone.name, _in_frame(bone, point)


def _in_frame(bone: Bone, point: Array) -> Point:
    return _turned_into_frame(bone, point - _array(bone.head_local))


def _turned_into_frame(bone: Bone, way: Array) -> Point:
    x, y, z = (np.array(bone.matrix_local.to_3x3(), dtype=np.float64).T @ way).tolist()
    return x, y, z


def _array(point: Collection[float]) -> Array:
    return np.array(point, dtype=np.float64)
