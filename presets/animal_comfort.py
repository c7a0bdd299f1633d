# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the joints of animals would rather be: where they rest, and how far they stray from there.

Backs, necks and tails bend evenly. Legs of quadrupeds stray in the plane in which they walk, each joint by
what it turns by in a stride: by all of that range where it bends to one side and rests at an end, or by half:

- Nicodemus: M. C. Nicodemus, H. M. Holt 2006, Equine and Comparative Exercise Physiology, horses that walk:
  the elbow goes through 45 degrees, the carpus 54, the hip 23, the hock 40, fetlocks 45 and 60.
- Back: W. Back and others 1995, Equine Veterinary Journal 27, 39 to 45: stifle and hock bend together.

That the shoulder strays less than the hip, as its blade moves too, and what legs do to the sides of that
plane are guesses. The side to which legs bend is what keeps a carpus, straight as it stands, from the other.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import radians
from typing import TYPE_CHECKING

import numpy as np

from ..solvers import Comfort, OneWay
from ..solvers.geometry import Array, unit
from .canonical import Rest

if TYPE_CHECKING:
    from ..bodies import Body, Role

# Chains, and how far, in radians, each strays as a whole.
_EVEN, _CHAIN = {"spine", "neck", "tail", "link"}, 0.6
# What bears limbs, how far that strays, and how far the bones of other limbs do.
_BEARING, _GIRDLE, _LIMB = {"clavicle", "pelvis"}, 0.09, 0.35
# How far the joints of a quadruped's legs stray in the plane of a stride, and aside, in degrees.
_STRIDES = {
    **{"upper_arm": 7.5, "forearm": 45.0, "hand": 54.0, "finger": 22.5},
    **{"thigh": 11.5, "shin": 40.0, "foot": 40.0, "toe": 30.0},
}
_ASIDE = radians(6.0)
# The cosine to the side from which on a part of a leg is spread.
_SPREAD = 0.6
# The parts of legs, and of each joint that bends to one side whether that is to the front.
_LEGS = (("upper_arm", "forearm", "hand", "finger"), ("thigh", "shin", "foot", "toe"))
_TO_THE_FRONT = {"forearm": True, "hand": False, "shin": False, "foot": True}
# Parts of which each bone bends at a joint of its own.
_TOES = {"finger", "toe"}
# A joint that is bent to the other side at rest by more, in radians, is another one than its name says. Paws
# that bear weight are overstretched.
_OTHERWISE_BENT, _STRETCHED = radians(15.0), {"hand": radians(16.0)}
_UNTURNED = np.array([1.0, 0.0, 0.0, 0.0])


def animal_comforts(body: "Body", rest: Rest) -> Iterator[Comfort]:
    """Yield the comfort of the bones of chains and limbs, which rest where they are.

    The bones of legs that are spread, as a lizard's, and of limbs of other animals than quadrupeds stray
    alike. The hips have none.
    """
    place = {name: index for index, name in enumerate(rest.names)}
    legs = {leg: _segments(rest, place, leg) for leg in _legs(body)}
    under = {leg: ways for leg, ways in legs.items() if _is_under(body, ways)}
    sides = {name: way for leg, ways in under.items() for name, way in _sides(body, rest, place, leg, ways)}
    walking = {name for leg in under for name in leg}
    for name, role in body.joints.items():
        if name in walking:
            own = rest.rotations[place[name]].T @ body.left
            yield Comfort(name, _UNTURNED, _spread(role, own), sides.get(name))
        elif strays := _strays(role):
            yield Comfort(name, _UNTURNED, strays)


def _strays(role: "Role") -> float:
    """Return how far a bone strays from rest to all sides, radians; 0 where it goes where the body goes."""
    if role.part in _EVEN:
        return _CHAIN / role.count**0.5 if role.count > 1 else 0.0
    if not role.side:
        return 0.0
    return _GIRDLE if role.part in _BEARING else _LIMB


def _spread(role: "Role", across: Array) -> Array:
    """Return the spread (3, 3) of a leg's bone; ``across`` (3,): the unit axis it bends about, its own frame.

    Bones of one part share out what that does, but for toes, each of which bends at its joint.
    """
    stride = radians(_STRIDES[role.part]) ** 2
    spread: Array = _ASIDE**2 * np.eye(3) + (stride - _ASIDE**2) * np.outer(across, across)
    return spread if role.part in _TOES else spread / role.count


def _legs(body: "Body") -> Iterator[tuple[str, ...]]:
    """Yield the bones of each leg of a quadruped, from the trunk outwards."""
    for parts in _LEGS if body.kind == "quadruped" else ():
        for side in "LR":
            yield tuple(bone for part in parts for bone in body.bones(part, side))


def _segments(rest: Rest, place: Mapping[str, int], leg: Sequence[str]) -> list[Array]:
    """Return the unit vectors (3,) from joint to joint of a leg, and to its end if that is known."""
    joints = [rest.heads[place[bone]] for bone in leg]
    joints += [rest.ends[bone] for bone in leg[-1:] if bone in rest.ends]
    return [unit(after - before) for before, after in pairwise(joints)]


def _is_under(body: "Body", segments: Sequence[Array]) -> bool:
    """Return whether a leg is under the body, so that it moves in the plane of a stride."""
    if body.left is None or not segments:
        return False
    down = float(np.sum(segments, axis=0) @ body.up)
    return down < 0 and max(abs(float(way @ body.left)) for way in segments) < _SPREAD


def _sides(
    body: "Body", rest: Rest, place: Mapping[str, int], leg: Sequence[str], segments: Sequence[Array]
) -> Iterator[tuple[str, OneWay]]:
    """Yield to which side each joint of a leg bends that bends to one.

    Straight is where a joint goes on as the one before, or, past that, where it rests: paws bear weight on
    joints that are overstretched.
    """
    parts = pairwise(body.roles[bone].part for bone in leg)
    for bone, (before, part), (above, along) in zip(leg[1:], parts, pairwise(segments), strict=False):
        if part == before or part not in _TO_THE_FRONT or not (above.any() and along.any()):
            continue
        sign = 1.0 if _TO_THE_FRONT[part] else -1.0
        bent = float(np.arctan2(sign * np.cross(above, body.left) @ along, above @ along))
        if bent < -_OTHERWISE_BENT - _STRETCHED.get(part, 0.0):
            sign, bent = -sign, -bent
        towards = sign * np.cross(above if bent > 0 else along, body.left)
        own = rest.rotations[place[bone]]
        yield bone, OneWay(own.T @ along, own.T @ towards)
