# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Part: what large rigs cost beside solves: set-up, reading, the panel's question, drawing."""

from time import process_time

import bpy
import numpy as np

from bodies import recognise
from solvers.limits import LONGEST_CHAIN

from . import own
from .report import publish
from .rigs import add_human_metarig

BONES, STRAND = 1000, 20
REPEATS = 5


def milliseconds(work, repeats=REPEATS):
    """The processor's time of a call, the least of several: whatever else keeps the processor busy."""
    taken = []
    for _ in range(repeats):
        begin = process_time()
        work()
        taken.append(process_time() - begin)
    return 1e3 * min(taken)


def with_hair():
    """Rigify's human with strands of hair on its head, 1,000 bones in all."""
    armature_object, _ = add_human_metarig()
    bpy.ops.object.mode_set(mode="EDIT")
    bones = armature_object.data.edit_bones
    for number in range(BONES - len(bones)):
        strand, link = divmod(number, STRAND)
        bone = bones.new(f"hair.{number:03}")
        bone.head, bone.tail = ((0.01 * (strand - 20), 0.1, 1.7 - 0.05 * (link + end)) for end in (0, 1))
        bone.parent = bones[f"hair.{number - 1:03}" if link else "spine.006"]
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature_object


def by_shape(armature_object):
    """Recognise the body by its joints alone: names are numbers."""
    bones = armature_object.data.bones
    number = {bone.name: str(place) for place, bone in enumerate(bones)}
    parents = [bone.parent and number[bone.parent.name] for bone in bones]
    return recognise(tuple(number.values()), parents, np.array([bone.head_local for bone in bones]))


def longest_chains():
    """Chains of as many cones as a limit may have, no two alike: (direction, radius) of each."""
    random = np.random.default_rng(0)
    for _ in range(REPEATS):
        directions = random.normal(size=(LONGEST_CHAIN, 3))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        yield tuple((tuple(direction), 0.3) for direction in directions)


def rows():
    """The lines of the table."""
    armature_object = with_hair()
    own.enable_extension()
    yield {"what": "body told by shape, 1,000 bones", "ms": milliseconds(lambda: by_shape(armature_object))}
    yield {"what": "Set Up Body, 1,000 bones", "ms": milliseconds(bpy.ops.superpose.set_up_body, repeats=1)}
    yield {"what": "Set Up Body again", "ms": milliseconds(bpy.ops.superpose.set_up_body)}
    bpy.ops.superpose.solve()
    asked = bpy.types.SUPERPOSE_OT_solve.is_outdated
    yield {"what": "whether the solve is outdated", "ms": milliseconds(lambda: asked(armature_object))}
    yield {"what": "frame read, 1,000 bones", "ms": milliseconds(own.frame_reader(armature_object))}
    chains = longest_chains()
    yield {"what": "longest chain of cones drawn", "ms": milliseconds(lambda: own.draw_cones(next(chains)))}


def main():
    """Measure all of them."""
    publish("large", list(rows()))
