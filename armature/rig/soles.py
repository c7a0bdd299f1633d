# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a foot stands on: its ball, over which it rolls, and what of it touches the ground.

A pinned foot holds by its sole. Its ball stays before its ankle does, and neither toes nor heel go below the
ground. So the sole stays flat as far as the ankle bends; beyond that the heel lifts and the toes stay.
"""

from collections.abc import Collection, Iterator, Set
from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Bone, Object, PoseBone
from mathutils import Vector

from ...bodies import Body
from ...solvers.geometry import Array
from ..setup.body import recognised_body
from ..setup.effectors import is_effector
from .varying import are_varying, lasting_weights

Point = tuple[float, float, float]
Ground = tuple[float, float, float, float]  # its normal, and how far along that it is from the origin
Spot = tuple[str, Point]

_FEET = ("foot", "forefoot", "hindfoot", "leg")  # how the holds begin by which bodies stand
_HEEL = 0.25  # how far behind the ankle a heel is, of the way from there to the ball
_DIGIT = 0.5  # how far ahead of the ankle what is no heel reaches, of the way to the foot's end
_UPRIGHT = 0.9  # the cosine of the angle from which on a body at rest leans from its armature's axes
_LOW = 1e-3  # of the foot's length: a ball that is not lower than its ankle carries nothing


@dataclass(frozen=True)
class Sole:
    """What the foot of an effector stands on, as it is at rest: points are in the frames of their bones.

    - ``ball``: the point of the ``foot`` over which it rolls
    - ``other``: what has to stay with the ball: the tip of its toe or, where it has none or several, a point
      of the foot beside the ball. None of a foot that points straight down.
    - ``ends``: the tips of several toes, and those of heels
    - ``clearances``: how far the ball, the other and each of the ends are above the ground
    - ``ups``: away from the ground, by bone: the foot's first, then those of toes
    - ``ahead``: the way from the ball to the tips of toes, in the foot's frame
    - ``ground``: the face that the foot was last put on, in the scene; None if there is none
    """

    foot: str
    ball: Point
    other: Spot | None
    ends: tuple[Spot, ...]
    clearances: tuple[float, ...]
    ups: tuple[Spot, ...]
    ahead: Point
    ground: Ground | None = None

    @property
    def spots(self) -> tuple[Spot, ...]:
        """All points that it stands on: ball, the other and ends."""
        return ((self.foot, self.ball), *((self.other,) if self.other else ()), *self.ends)

    @property
    def has_toe(self) -> bool:
        """Whether the other is the tip of a toe."""
        return self.other is not None and self.other[0] != self.foot

    @property
    def touching(self) -> Iterator[Spot]:
        """What touches the ground: right below all points but one that is beside the ball."""
        ups = dict(self.ups)
        for spot, clearance in zip(self.spots, self.clearances, strict=True):
            if self.has_toe or spot is not self.other:
                x, y, z = (np.array(spot[1]) - clearance * np.array(ups[spot[0]])).tolist()
                yield spot[0], (x, y, z)

    @property
    def bones(self) -> tuple[str, ...]:
        """The foot, and the toes that bend as it rolls."""
        return tuple(bone for bone, _ in self.ups)

    @property
    def count(self) -> int:
        """How many goals hold it: a place for ball and the other, a plane for each of the ends."""
        return len(self.spots)


def soles_of(
    ob: Object, bones: Collection[PoseBone], blocked: Collection[str], paths: Set[str]
) -> tuple[Sole, ...]:
    """Return the soles by which those of the bones hold that are pinned; ``blocked`` ones do not bend.

    ``paths``: what is animated of the armature object.
    """
    pinned = {bone.name: bone for bone in bones if _holds_by_sole(bone, paths)}
    found = _found(recognised_body(ob), ob, pinned, blocked) if pinned else ()
    return tuple(replace(sole, ground=_ground_of(pinned[sole.foot])) for sole in found)


def ball_of(bone: PoseBone) -> Spot | None:
    """Return the ball of a foot that is pinned by its sole in the present frame, None of any other bone."""
    sole = sole_of(bone) if _holds_by_sole(bone, frozenset()) else None
    return sole and (sole.foot, sole.ball)


def sole_of(foot: PoseBone) -> Sole | None:
    """Return what a foot of a recognised body stands on, pinned or not; None of any other bone."""
    ob = foot.id_data
    return next(_found(recognised_body(ob), ob, [foot.name], ()), None)


def posed(ob: Object, spots: Collection[Spot]) -> Array:
    """Return where spots are (n, 3) in the scene as the armature object is posed."""
    bones, to_world = ob.pose.bones, ob.matrix_world
    points = [to_world @ bones[name].matrix @ Vector(point) for name, point in spots]
    return np.array(points, dtype=np.float64).reshape(-1, 3)


def _ground_of(foot: PoseBone) -> Ground | None:
    x, y, z, distance = foot.superpose.ground
    return (x, y, z, distance) if any((x, y, z)) else None


def _holds_by_sole(bone: PoseBone, paths: Set[str]) -> bool:
    """Return whether an effector is pinned in place and turn, in some frame, so that its sole has a place."""
    if not is_effector(bone):
        return False
    settings = bone.superpose
    is_whole = all((*settings.position_axes, *settings.rotation_axes))
    weighs = all(lasting_weights(bone, are_varying(bone, paths)))
    return settings.hold == 'PINNED' and settings.use_sole and is_whole and weighs


def _found(body: Body, ob: Object, names: Collection[str], blocked: Collection[str]) -> Iterator[Sole]:
    feet = body.held_by(_FEET)
    if body.up is None:
        return
    for name in names:
        sole = _sole(body, ob.data.bones[name], blocked) if name in feet else None
        if sole is not None:
            yield sole


def _sole(body: Body, foot: Bone, blocked: Collection[str]) -> Sole | None:
    """Return what the foot stands on at rest; None where its end is no lower than its ankle."""
    toes = [bone for bone in foot.children if _is_toe(body, bone) and bone.name not in blocked]
    others = [bone for bone in foot.children if bone not in toes]
    ankle, up = _array(foot.head_local), _upright(body.up)
    end = np.mean([_array(toe.head_local) for toe in toes] or [_array(foot.tail_local)], axis=0)
    if (ankle - end) @ up <= _LOW * np.linalg.norm(ankle - end):
        return None
    ball, others = (end, others) if toes else _with_digits(ankle, end, others, up)
    tips = [(toe, _tip(toe)) for toe in toes]
    heels = [point for bone in others for point in _ends(bone) if (point - ankle) @ up < 0]
    level = min(point @ up for point in (ball, *(tip for _, tip in tips), *heels))
    below = ankle + _HEEL * (ankle - ball)
    ends = [(foot, heel) for heel in heels or [below - (below @ up - level) * up]]
    held, ends = (tips, ends) if len(tips) == 1 else (_beside(foot, ball, up), [*tips, *ends])
    points = [ball, *(point for _, point in (*held, *ends))]
    return Sole(
        foot.name,
        _in_frame(foot, ball),
        next((_spot(*spot) for spot in held), None),
        tuple(_spot(*end) for end in ends),
        tuple(float(point @ up - level) for point in points),
        tuple((bone.name, turned_into_frame(bone, up)) for bone in (foot, *toes)),
        turned_into_frame(foot, np.mean([tip for _, tip in tips] or [ball], axis=0) - ball),
    )


def _with_digits(ankle: Array, end: Array, others: list[Bone], up: Array) -> tuple[Array, list[Bone]]:
    """Return the end of a foot with its digits, which do not bend, and what else of ``others`` is left."""
    way = (end - ankle) - ((end - ankle) @ up) * up
    ahead = way / max(np.linalg.norm(way), _LOW * np.linalg.norm(end - ankle))
    reach = {bone: max((point - ankle) @ ahead for point in _ends(bone)) for bone in others}
    own = way @ ahead
    beyond = max([own, *reach.values()]) - own
    return end + beyond * ahead, [bone for bone in others if reach[bone] <= _DIGIT * own]


def _beside(foot: Bone, ball: Array, up: Array) -> list[tuple[Bone, Array]]:
    """Return a point beside the ball: over the line through both rolls a foot that has not one toe.

    None of a foot that points straight down.
    """
    away = ball - _array(foot.head_local)
    across = np.cross(up, away)
    return [(foot, ball + across)] if np.linalg.norm(across) > _LOW * np.linalg.norm(away) else []


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
        yield _array(part.head_local)
        yield _array(part.tail_local)


def _spot(bone: Bone, point: Array) -> Spot:
    return bone.name, _in_frame(bone, point)


def _in_frame(bone: Bone, point: Array) -> Point:
    return turned_into_frame(bone, point - _array(bone.head_local))


def turned_into_frame(bone: Bone, way: Array) -> Point:
    """Return a way (3,) of the armature's space in the frame of a bone at rest."""
    x, y, z = (np.array(bone.matrix_local.to_3x3(), dtype=np.float64).T @ way).tolist()
    return x, y, z


def _array(point: Collection[float]) -> Array:
    return np.array(point, dtype=np.float64)
