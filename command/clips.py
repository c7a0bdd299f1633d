# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion capture in BVH files, which are checked first."""

from pathlib import Path

import addon_utils
import bpy
from bpy.types import Object
from mathutils import Matrix

from ..armature import frame_numbers
from ..armature.motion import Choices, following
from ..armature.setup.body import recognised_body
from ..files import path_text, read_text
from ..reports import unlike_text
from ..solvers.pauses import finished
from .bvh import Unreadable, check_bvh
from .errors import CommandError, explained, sentence

IMPORTER = "io_anim_bvh"
# Which axis of a file is up where its body at rest, read with Y up, stands along an axis of ours, by number
# and sign; and which axis is ahead where that one is up.
UP = {(0, 1): "X", (1, 1): "-Z", (2, 1): "Y", (0, -1): "-X", (1, -1): "Z", (2, -1): "-Y"}
AHEAD = {"X": "Y", "-X": "Y", "Y": "-Z", "-Y": "-Z", "Z": "-Y", "-Z": "-Y"}


def imported(path: Path) -> Object:
    """Return the armature of a clip, new in the scene, which gets the clip's range and frame rate.

    What is up in the file is told by how its body stands at rest. Raises CommandError naming what is wrong
    with the file.
    """
    check_clip(path)
    if addon_utils.enable(IMPORTER) is None:
        raise CommandError("This Blender has no importer of BVH files")
    ob = read_with(path, "Y")
    up = up_of(ob)
    if up != "Y":
        remove(ob)
        ob = read_with(path, up)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = (round(end) for end in ob.animation_data.action.curve_frame_range)
    return ob


def followed(ob: Object, leader: Object, levels: bool) -> list[str]:
    """Have an armature follow an imported one, which is put over it; return what is to be told, in sentences.

    ``levels``: whether a tilted floor of the clip is made level. Raises RigError.
    """
    context, numbers = bpy.context, frame_numbers(bpy.context.scene, 'SCENE')
    with following(context, ob, leader, Choices(levels=levels)) as motion:
        tracks = finished(motion.read(context, numbers))
        along = motion.key(context, tracks)
    leader.matrix_world = Matrix(tracks.leader_to_world.tolist())
    return [*tracks.notes, *([unlike_text(along)] if along else [])]


def read_with(path: Path, up: str) -> Object:
    """Return the armature that Blender's importer makes of a file with that axis up. Raises CommandError."""
    before = set(bpy.data.objects)
    try:
        bpy.ops.import_anim.bvh(
            filepath=str(path),
            axis_up=up,
            axis_forward=AHEAD[up],
            rotate_mode='QUATERNION',
            update_scene_fps=True,
        )
    except RuntimeError as error:
        raise CommandError(f"Blender cannot read '{path_text(path)}': {sentence(error)}") from error
    return next(ob for ob in bpy.data.objects if ob not in before and ob.type == 'ARMATURE')


def up_of(ob: Object) -> str:
    """Return which axis is up in the file that was read with Y up as the armature; Y where nothing tells."""
    up = recognised_body(ob).up
    if up is None:
        return "Y"
    axis = int(abs(up).argmax())
    return UP[axis, 1 if up[axis] > 0 else -1]


def remove(ob: Object) -> None:
    """Remove an armature that was imported, and its motion."""
    armature, action = ob.data, ob.animation_data.action
    bpy.data.objects.remove(ob)
    bpy.data.armatures.remove(armature)
    bpy.data.actions.remove(action)


def check_clip(path: Path) -> None:
    """Raise CommandError unless the file is a clip that Blender's importer reads as it is meant."""
    name = path_text(path)
    try:
        with explained(f"'{name}' cannot be read"):
            check_bvh(read_text(path))
    except UnicodeDecodeError as error:
        raise CommandError(f"'{name}' is no BVH file: it is no UTF-8 text") from error
    except Unreadable as error:
        raise CommandError(f"'{name}' {error}") from error
