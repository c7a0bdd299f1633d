# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bone at which a body begins in an armature where others carry it."""

from bpy.types import Object, PoseBone

from ...bodies import Body


def first_bone(ob: Object, body: Body) -> str:
    """Return the bone that carries all of the body, itself carried by others, and can be moved; else nothing.

    Such is the hips where a bone on the floor carries it, as in rigs for games. A bone that is connected or
    locked goes only where its parent does, so that the body begins above it.
    """
    bones = [ob.pose.bones[name] for name in {*body.roles, *filter(None, body.told.values())}]
    ways = [[bone, *bone.parent_recursive] for bone in bones]
    shared = [link for link in ways[0] if all(link in way for way in ways)]
    return shared[0].name if shared and _moves_by_itself(shared[0]) else ""


def _moves_by_itself(bone: PoseBone) -> bool:
    return bone.parent is not None and not (bone.bone.use_connect or all(bone.lock_location))
