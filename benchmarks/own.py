# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one place where the benchmarks meet Superpose. Everything else here knows only these functions."""

import sys
from contextlib import contextmanager
from dataclasses import fields
from functools import cache
from pathlib import Path
from time import process_time

import numpy as np

import solvers
from solvers.geometry import matrix_to_quaternion, nearest_rotation
from workshop.human_comfort import bodies, body_comfort, canonical


@cache
def skeleton(rig):
    """Return the rig as a solvers.Skeleton whose root moves freely."""
    rotations, heads = nearest_rotation(rig.rest[:, :3, :3]), rig.rest[:, :3, 3]
    offsets, rests = heads.copy(), rotations.copy()
    for bone, parent in enumerate(rig.parents):
        if parent >= 0:
            offsets[bone] = rotations[parent].T @ (heads[bone] - heads[parent])
            rests[bone] = rotations[parent].T @ rotations[bone]
    freedom = np.where(np.asarray(rig.parents)[:, None, None] < 0, np.eye(3), 0.0)
    names = [str(name) for name in rig.names]
    return solvers.Skeleton(
        names, rig.parents, offsets[None], matrix_to_quaternion(rests)[None], freedom=freedom
    )


@cache
def effectors(rig):
    """Return the rig's effectors, position and rotation."""
    return tuple(solvers.Effector(str(rig.names[bone])) for bone in rig.effectors)


def pose_from_rest(rig, batch=1):
    """Return the rest pose."""
    return solvers.rest_pose(skeleton(rig), batch)


def targets(matrices):
    """Return solver targets of bone matrices (batch, effectors, 4, 4) in armature space."""
    return solvers.Targets(
        matrices[..., :3, 3], matrix_to_quaternion(nearest_rotation(matrices[..., :3, :3]))
    )


@cache
def prepared(rig):
    """Return what solves of the rig have in common."""
    return solvers.prepare(skeleton(rig), effectors(rig))


def solve(rig, start, goals):
    """Return the solution from a start pose at default settings: the call that is timed."""
    return solvers.solve(skeleton(rig), start, effectors(rig), goals, prepared=prepared(rig))


def matrices(rig, pose):
    """Return bone matrices (batch, bones, 4, 4) in armature space of a solver pose."""
    rotations, heads = solvers.forward(skeleton(rig), pose)
    result = np.broadcast_to(np.eye(4), (*heads.shape[:2], 4, 4)).copy()
    result[..., :3, :3], result[..., :3, 3] = rotations, heads
    return result


@cache
def _human(rig):
    """The body that the rig is, and its rest pose."""
    names = [str(name) for name in rig.names]
    parents = [None if parent < 0 else names[parent] for parent in rig.parents]
    heads, rotations = rig.rest[:, :3, 3], nearest_rotation(rig.rest[:, :3, :3])
    return bodies.recognise(names, parents, heads), canonical.Rest(names, parents, heads, rotations)


def human_joints(rig):
    """Return the rig's joints that are a human's, with their canonical frames."""
    return canonical.canonical_joints(*_human(rig))


def human_comforts(rig):
    """Return the comfort of human joints on the rig's bones."""
    return tuple(body_comfort.comforts_of(*_human(rig)))


def human_limits(armature_object, action=None):
    """Return the limits that the add-on gives the joints of the armature object, a human at rest.

    With an action, those that it gives them where that is the armature's own.
    """
    enable_extension()
    anatomy = _module("armature.limits.anatomy").anatomy_of(armature_object)
    joints = {armature_object.data.bones[name]: joint for name, joint in anatomy.joints.items()}
    found, _ = _module("armature.limits.of_body").limits_of_joints(anatomy, joints, anatomy.joints)
    if action:
        import bpy

        animation = armature_object.animation_data_create()
        animation.action = action
        if hasattr(animation, "action_slot"):  # Blender 4.4 and later
            animation.action_slot = action.slots[0]
        fitted = _module("armature.limits.from_action").fitted
        found = fitted(bpy.context, armature_object, found, anatomy.joints)
        armature_object.animation_data_clear()
    # The extension has its own copy of the solvers.
    return tuple(
        getattr(solvers, type(limit).__name__)(
            **{field.name: getattr(limit, field.name) for field in fields(limit)}
        )
        for limit in found
    )


def enable_extension():
    """Enable this checkout under its real extension name, through a link in the user's extensions folder."""
    import addon_utils
    import bpy

    folder = Path(bpy.utils.user_resource("EXTENSIONS", path="user_default", create=True))
    link, root = folder / "superpose", Path(__file__).resolve().parent.parent
    if not link.exists():
        link.symlink_to(root)
    if link.resolve() != root:
        sys.exit(f"{link} is another Superpose: set BLENDER_USER_RESOURCES to an empty folder")
    addon_utils.enable("bl_ext.user_default.superpose", default_set=True)


def set_up(armature_object, rig, empties):
    """Give the rig's effectors, by the add-on's own means, the empties (at bone matrices) as targets."""
    for order, (bone, empty) in enumerate(zip(rig.effectors, empties, strict=True)):
        effector = armature_object.pose.bones[str(rig.names[bone])].superpose
        effector.is_effector, effector.order, effector.target = True, order, empty


def set_up_live(armature_object, rig, empties):
    """Let the armature follow the empties from now on."""
    set_up(armature_object, rig, empties)
    armature_object.superpose_live = True


def set_up_drag(armature_object, effectors, comfort):
    """Set up the body by one press, and have it believe that a mouse drags; its targets by effector."""
    import bpy

    _module("live.handlers")._is_mouse_dragging = lambda: True
    bpy.ops.superpose.set_up_body(use_comfort=comfort)
    for bone in armature_object.pose.bones:
        if bone.superpose.is_effector:
            bone.superpose.enabled = bone.name in effectors
    return {name: armature_object.pose.bones[name].superpose.target for name in effectors}


@contextmanager
def parts_timed():
    """Note the seconds of our code in each update: in all, of solving and of writing; the rest is reading."""
    import bpy

    handlers, drag, dragged = (_module(name) for name in ("live.handlers", "dragging.drag", "live.dragged"))
    calls = bpy.app.handlers.depsgraph_update_post
    place = calls.index(handlers._on_update)
    whole, solve, write = handlers._on_update, drag.Drag.follow, dragged.write_pose
    seconds = {"all": [], "solve": [], "write": []}
    try:
        calls[place] = _timed(whole, seconds["all"], whole.__module__)
        drag.Drag.follow = _timed(solve, seconds["solve"])
        dragged.write_pose = _timed(write, seconds["write"])
        yield seconds
    finally:
        calls[place], drag.Drag.follow, dragged.write_pose = whole, solve, write


def _timed(function, seconds, module=__name__):
    def timed(*args, **kwargs):
        begin = process_time()
        result = function(*args, **kwargs)
        seconds.append(process_time() - begin)
        return result

    timed.__module__ = module
    return timed


def _module(name):
    return sys.modules[f"bl_ext.user_default.superpose.{name}"]


def bake(frames, /, **options):
    """Call ``bpy.ops.superpose.bake`` on frames 1 to ``frames``; this call is what is timed."""
    import bpy

    bpy.ops.superpose.bake(range="CUSTOM", frame_start=1, frame_end=frames, **options)


def follow(armature_object, effectors):
    """Have effectors, hips, head, hands and feet, follow the one other armature that is animated."""
    import bpy

    for order, name in enumerate(effectors):
        effector = armature_object.pose.bones[name].superpose
        effector.is_effector, effector.order = True, order
    for other in bpy.context.selected_objects:
        other.select_set(False)
    bpy.context.view_layer.objects.active = armature_object
    armature_object.select_set(True)
    bpy.ops.superpose.follow_motion(use_contacts=False, use_level=False)


def frame_reader(armature_object):
    """Return a call that reads the pose of the armature object, which is set up, and its targets."""
    import bpy

    armature, depsgraph = _module("armature"), bpy.context.evaluated_depsgraph_get()
    rig = armature.read_rig(armature_object)
    return lambda: armature.read_frame(rig, armature_object, depsgraph)


def draw_cones(cones):
    """Make the shape of a limit of such cones as it is drawn."""
    _module("overlay.shapes").swing_shape(_module("solvers").Cones("joint", cones))


def clip_report(armature_object):
    """Return how the last bake went from frame to frame, and which keys it has."""
    return _module("reports").clip_report_of(armature_object)
