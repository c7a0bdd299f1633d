# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones of an armature that share the twist of a limb: of which segment, and whether it goes on from them."""

from collections.abc import Collection, Iterable, Mapping

import numpy as np
from bpy.types import Object, PoseBone

from ...solvers import Twist
from ..joints.joint import read_joints
from ..setup.twists import has_twist


def read_twists(
    ob: Object, bones: Iterable[PoseBone], solved: Collection[str], blocked: Mapping[str, str]
) -> tuple[tuple[Twist, ...], tuple[str, ...]]:
    """Return the twists of those ``bones``, parents first, that have a share and whose segment is ``solved``;
    and notes on others.

    Segments end at the next solved bone without a share. What something else places, or what is locked,
    stays as it is.
    """
    found, notes, known = [], [], set(solved)
    for bone in bones:
        first = _first(bone) if has_twist(bone) else None
        if first is None or first.name not in solved:
            continue
        carries = bone.name in solved
        last = _last(bone if carries else first, solved)
        why = _why_not(ob, bone, last, blocked, known)
        if why:
            notes.append(f"'{bone.name}' takes no share of twist: {why}")
            continue
        known.add(bone.name)
        of = bone.superpose
        found.append(Twist(bone.name, of.twist_share, first.name, last.name, of.twist_of == 'END', carries))
    return tuple(found), tuple(notes)


def _first(bone: PoseBone) -> PoseBone | None:
    """Return the next bone above that has no share."""
    return next((link for link in bone.parent_recursive if not has_twist(link)), None)


def _last(bone: PoseBone, solved: Collection[str]) -> PoseBone | None:
    """Return the joint at which the segment ends that goes on from the bone, the nearest to its tail."""
    below = [child for child in bone.children if child.name in solved]
    if not below:
        return None
    away = [(child.bone.head_local - bone.bone.tail_local).length for child in below]
    nearest = below[int(np.argmin(away))]
    return _last(nearest, solved) if has_twist(nearest) else nearest


def _why_not(
    ob: Object, bone: PoseBone, last: PoseBone | None, blocked: Mapping[str, str], known: Collection[str]
) -> str:
    """Return why the bone cannot take a share, or nothing; ``known``: what is solved or takes one."""
    if bone.name in blocked:
        return f"{blocked[bone.name]} places it"
    if bone.parent.name not in known:
        return f"its parent '{bone.parent.name}' takes none"
    if last is None:
        return "no solved bone of its limb follows it"
    if bone.superpose.stiffness == 1 or read_joints(ob, [bone])[0].held:
        return "it is locked"
    if not all(link.bone.use_inherit_rotation for link in (bone, last)):
        return "a bone inherits no rotation"
    return ""
