# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bone at which a body begins in an armature where others carry it."""

from collections import Counter

from bpy.types import Object, PoseBone

from ...bodies import Body


def first_bone(ob: Object, body: Body) -> str:
    """Return the bone that carries all of the body, itself carried by others, and can be moved; else nothing.

    Such is the hips where a bone on the floor carries it, as in rigs for games. A bone that is connected or
    locked goes only where its parent does, so that the body begins above it.
    """
    names = {*body.roles, *filter(None, body.told.values())}
    carried, bones = Counter(names), list(ob.data.bones)  # parents come first
    for bone in reversed(bones):
        if bone.parent:
            carried[bone.parent.name] += carried[bone.name]
    whole = [bone.name for bone in bones if carried[bone.name] == len(names)]
    return whole[-1] if whole and _moves_by_itself(ob.pose.bones[whole[-1]]) else ""


def _moves_by_itself(bone: PoseBone) -> bool:
    return bone.parent is not None and not (bone.bone.use_connect or all(bone.lock_location))
