# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""About which axes elbows and knees bend, of bodies whose rest does not tell how limbs are turned.

Where all bones point one way at rest, a hand or a foot may be turned about its limb by any angle there. How
its elbow or knee bends in the motion tells by which.
"""

from collections.abc import Mapping

import numpy as np
from mathutils import Matrix, Vector

from ...bodies.role import ARM, LEG
from ...solvers.geometry import Array, norm
from ..rig.mirrors import shown_rotation
from .lead import Lead, body_of, part_and_side

# A limb by the parts where it begins, bends and ends.
_LIMBS = (ARM[1:], LEG[1:])
# Limbs that bend by less than that on average, a sine, do not tell; nor those whose axes are not much alike:
# their mean is this share as long.
_BENT, _ALIKE = 0.05, 0.5
_NOTHING = 1e-12


def with_hinges(lead: Lead) -> Lead:
    """Return the lead with the joints too where arms and legs of both bodies begin and bend, after these."""
    own, others = body_of(lead.follower), body_of(lead.leader)
    found = {}
    for parts in _LIMBS:
        for part in parts[:2]:
            for side in "LR":
                ours, theirs = own.bones(part, side), others.bones(part, side)
                if ours and theirs:
                    found[ours[0]] = theirs[0], f"{part}.{side}"
    return lead.with_more(found)


def hinges(lead: Lead, posed: Array) -> dict[str, Vector]:
    """Return the axes about which limbs bend in the motion, by effector: those of hands and feet and what
    they carry.

    They are in the leader's space, at rest, and have the sense in which the limb bends about them. Limbs that
    do not bend have none. ``posed`` (frames, n, 4, 4): the leader's bones.
    """
    rows = {role: row for row, role in enumerate(lead.roles.values())}
    heads, turned = posed[..., :3, 3], shown_rotation(posed[..., :3, :3])
    found = {}
    for row, (name, role) in enumerate(lead.roles.items()):
        limb = _limb_of(role, rows)
        if limb:
            begin, middle, end = (heads[:, place] for place in limb)
            ways = [middle - begin, end - middle]
            axes = np.cross(*(way / np.maximum(norm(way), _NOTHING)[:, None] for way in ways))
            mean = np.einsum("fji,fj->i", turned[:, row], axes) / len(axes)
            if norm(mean) > max(_ALIKE * norm(axes).mean(), _BENT):
                rest = lead.leader.data.bones[lead.bones[name]].matrix_local.to_3x3()
                found[name] = (rest @ Vector(mean)).normalized()
    return found


def doubts(lead: Lead, found: Mapping[str, Vector]) -> list[str]:
    """Return what is to be told of hands and feet whose hinges were not ``found``, in sentences."""
    unknown = [f"'{name}'" for name, role in lead.roles.items() if _parts_of(role) and name not in found]
    where = f"'{lead.leader.name}' does not stand at rest, and its limbs do not bend"
    return [f"{where}: how {', '.join(unknown)} turn about them is a guess"] if unknown else []


def own_hinge(lead: Lead, role: str, way: Vector) -> Vector:
    """Return the axis in the follower's space about which a limb that goes ``way`` at rest bends: legs back,
    arms ahead.
    """
    body = body_of(lead.follower)
    return Vector(body.left) if _parts_of(role) == LEG[1:] else way.cross(Vector(body.forward))


def twisted(turn: Matrix, axis: Vector, own: Vector, other: Vector) -> Matrix:
    """Return a ``turn`` (3, 3) with one more about an ``axis``.

    That one takes ``own``, as it is after the turn, as near to ``other`` as can be.
    """
    across = [axis.cross(way) for way in (turn @ own, other)]
    angle = across[0].angle(across[1], 0.0) * (1 if across[0].cross(across[1]).dot(axis) >= 0 else -1)
    return Matrix.Rotation(angle, 3, axis) @ turn


def _limb_of(role: str, rows: Mapping[str, int]) -> list[int]:
    """Return the rows of the joints of the limb that a role is of, if it is of its end; nothing without."""
    _, side = part_and_side(role)
    limb = [f"{part}.{side}" for part in _parts_of(role)]
    return [rows[joint] for joint in limb] if limb and rows.keys() >= {*limb} else []


def _parts_of(role: str) -> tuple[str, ...]:
    part, _ = part_and_side(role)
    return LEG[1:] if part in (LEG[-1], "toe") else ARM[1:] if part == ARM[-1] else ()
