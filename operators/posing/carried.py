# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones that parts of a body carry, as a head its face and a foot its toes: they take the part along."""

from collections.abc import Collection
from dataclasses import replace
from functools import partial
from itertools import takewhile

import numpy as np
from bpy.types import Object

from ...armature import Grab, Rig, effectors_of, is_effector
from ...armature.rig.ways import bones_above_root
from ...armature.setup.sides import extent
from ...bodies import Body

# As a share of the armature's extent: no face goes so far from where it begins, a wing or a plait does.
_LIMB = 1 / 6


def way_up(ob: Object, held: str) -> list[str]:
    """Return the bone that is held and those above it, up to the root."""
    return [held, *(bone.name for bone in ob.data.bones[held].parent_recursive)]


def carried_by_part(ob: Object, body: Body, held: str) -> tuple[str, ...]:
    """Return the bone that is held and those above it, up to the part of the body that carries them.

    Nothing for a bone with a role, for a bone of a limb of its own, and for what hangs on no part. Nothing,
    too, if it is not sure which body the armature is.
    """
    line = way_up(ob, held)
    carried = tuple(takewhile(lambda bone: bone not in body.roles, line))
    if not carried or not body.is_sure or len(carried) == len(line) or _is_limb(ob, body, carried[-1]):
        return ()
    return carried


def _is_limb(ob: Object, body: Body, begins: str) -> bool:
    """Return whether a limb begins at the bone that is no part of the body and carries none.

    It has three joints or more and goes farther than a face.
    """
    base = ob.data.bones[begins]
    below = base.children_recursive
    above, joints = len(base.parent_recursive), [len(bone.parent_recursive) for bone in below]
    reach = max(((bone.head_local - base.head_local).length for bone in below), default=0.0)
    is_limb = max(joints, default=above) - above >= 2 and reach > _LIMB * extent(ob)
    return is_limb and not any(bone.name in body.roles for bone in below)


def pinned_part(ob: Object, body: Body, held: str) -> str:
    """Return the part of the body that carries the bone and is pinned, or nothing.

    It is held in place of a bone that can move only with it. So is a paw in place of its claw, also a paw
    that is a toe. So is a foot in place of its toes, since its sole holds them to the ground. Fingers may
    turn, but a pinned hand that keeps its turn is held in place of their first joints.
    """
    carried = carried_by_part(ob, body, held)
    above = way_up(ob, held)[max(len(carried), 1) :]
    if not (carried or _is_toe(body, held)):
        return next((name for name in above[:1] if _is_pinned(ob, name) and _is_turned(ob, name)), "")
    toes = [*takewhile(partial(_is_toe, body), above)]
    return next((name for name in above[: len(toes) + 1] if _is_pinned(ob, name)), "")


def _is_pinned(ob: Object, name: str) -> bool:
    bone = ob.pose.bones[name]
    return is_effector(bone) and bone.superpose.hold == 'PINNED'


def _is_turned(ob: Object, name: str) -> bool:
    """Return whether the rotation of an effector counts."""
    return ob.pose.bones[name].superpose_rotation_weight > 0


def _is_toe(body: Body, bone: str) -> bool:
    return bone in body.roles and body.roles[bone].part == "toe"


def grab_of(ob: Object, held: str, carried: Collection[str], turns: bool) -> Grab:
    """Return how the bone is held.

    What carries the body keeps its turn, so that the floor stays level. What a part of the body carries is
    held where the part itself would be.
    """
    if not carried:
        return Grab(held, turns or held in bones_above_root(ob))
    part = next(bone for bone in ob.pose.bones[held].parent_recursive if bone.name not in carried)
    return Grab(held, turns or (is_effector(part) and _is_turned(ob, part.name)))


def following_carrier(ob: Object, held: str) -> list[str]:
    """Return the effectors that go where a bone goes that carries the whole body: those that follow."""
    if held not in bones_above_root(ob):
        return []
    enabled = (bone for bone in effectors_of(ob) if bone.superpose.enabled)
    return [bone.name for bone in enabled if bone.superpose.hold == 'FOLLOWS']


def with_others_still(rig: Rig, held: Collection[str]) -> Rig:
    """Return the rig in which bones stay that do not hang together with what is held; with goals any may
    move.
    """
    tops = np.arange(len(rig.names))
    for bone, parent in enumerate(rig.parents):
        tops[bone] = tops[parent] if parent >= 0 else bone
    still = ~np.isin(tops, [tops[rig.rows_by_name[name]] for name in held]) & (not rig.goals)
    return rig.with_still(still)


def with_stiff(rig: Rig, bones: Collection[str]) -> Rig:
    """Return the rig in which the ``bones`` do not turn."""
    return replace(rig, stiffness=np.where([name in bones for name in rig.names], 1.0, rig.stiffness))
