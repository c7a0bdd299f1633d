# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A figure that is live, how its targets are moved, and what is known of it."""

import sys

import armatures
import bpy
import figures
import numpy as np
from armatures import Vector

MOVE = Vector((-0.2, 0.15, 0.2))


def live_figure():
    """A figure with targets, live and at rest."""
    ob = figures.ready()
    ob.superpose_live = True
    armatures.refresh()
    return ob


def move(ob, bone="hand.L", way=MOVE, steps=1):
    target = figures.target_of(ob, bone)
    for _ in range(steps):
        target.location += way / steps
        armatures.refresh()


def channels(ob):
    """Every channel of every bone, to the bit."""
    return {bone.name: figures.transforms(bone) for bone in ob.pose.bones}


def apart(a, b):
    """The largest angle between two poses, degrees."""
    nearer = np.minimum(np.linalg.norm(a - b, axis=-1), np.linalg.norm(a + b, axis=-1))
    return np.degrees(4 * np.arcsin(nearer.max() / 2))


def handlers_of(addon):
    told = ("depsgraph_update_post", "frame_change_pre", "frame_change_post")
    lists = (getattr(bpy.app.handlers, name) for name in (*told, "save_pre", "save_post", "save_post_fail"))
    return [
        function
        for functions in lists
        for function in functions
        if function.__module__.startswith(f"{addon.name}.live")
    ]


def followers(addon):
    return sys.modules[f"{addon.name}.live.handlers"]._live.followers
