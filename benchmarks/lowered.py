# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Part: single solves of a human body whose hips come down over pinned feet, one of which steps back.

Where flat feet do not let all targets be met these are sought by rank, and heels lift. Each body is solved at
rest, and once more where that has led. Processor time, and what is left of hips and feet.
"""

from time import process_time

import bpy
from mathutils import Vector

from . import own
from .report import publish
from .rigs import add_human_metarig

LOW, BACK = (0.2, 0.25, 0.3, 0.35), (0.0, 0.1, 0.2)  # metres


def lowered(low, back):
    """A body set up by one press whose hips and head are to come down, and the left foot to step back."""
    armature_object, _ = add_human_metarig()
    own.enable_extension()
    bpy.ops.superpose.set_up_body(use_live=False)
    ways = {"spine": (0, 0, -low), "spine.006": (0, 0, -low), "foot.L": (0, back, 0)}
    for bone, way in ways.items():
        armature_object.pose.bones[bone].superpose.target.location += Vector(way)
    bpy.context.view_layer.update()
    return armature_object


def row(low):
    """One line of the table: of all steps back."""
    seconds, left = {"at rest": [], "again": []}, []
    for back in BACK:
        armature_object = lowered(low, back)
        for times in seconds.values():
            begin = process_time()
            bpy.ops.superpose.solve()
            times.append(process_time() - begin)
        bones = (armature_object.pose.bones[bone].superpose for bone in ("spine", "foot.L", "foot.R"))
        left.append(max(bone.position_residual for bone in bones))
    means = {f"CPU s, {when}": sum(times) / len(BACK) for when, times in seconds.items()}
    return {"hips down, m": low} | means | {"left, mm": 1e3 * max(left)}


def main():
    """Solve them all."""
    publish("lowered", [row(low) for low in LOW])
