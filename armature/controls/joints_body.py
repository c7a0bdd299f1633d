# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""An armature of a rig's joints alone, which can be posed as any other."""

from collections.abc import Iterator
from contextlib import contextmanager

import bpy
from bpy.types import Collection, Context, Object, Scene

from ..errors import RigError
from ..frames.frame_snapshot import VISIBLE_DISTANCE
from ..setup.sides import shown_extent
from .joints import joints_alike, joints_of, parent_joints, without_prefix


def make_body(context: Context, ob: Object) -> Object:
    """Return a new armature object of the joints of ``ob``, in the pose that these have, on the same object.

    Its bones are called as the joints are, without what the names of all of these begin with.
    """
    parents = parent_joints(ob, joints_of(ob))
    called = without_prefix(list(parents))
    body = bpy.data.objects.new(f"{ob.name} body", bpy.data.armatures.new(f"{ob.name} body"))
    body.parent, body.show_in_front, body.data.display_type = ob, True, 'STICK'
    for collection in _open_collections(ob) or [context.scene.collection]:
        collection.objects.link(body)
    for other in context.selected_objects:
        other.select_set(False)
    body.select_set(True)
    context.view_layer.objects.active = body
    bpy.ops.object.mode_set(mode='EDIT')
    bones = {name: body.data.edit_bones.new(called[name]) for name in parents}
    for name, bone in bones.items():
        joint = ob.data.bones[name]
        bone.tail = joint.tail_local - joint.head_local  # of no length it would have no axes
        bone.matrix, bone.parent = joint.matrix_local, bones.get(parents[name])
    bpy.ops.object.mode_set(mode='OBJECT')
    body.superpose.control_rig = ob
    pose_as_joints(body, ob)
    return body


@contextmanager
def only_if_set_up(context: Context, ob: Object) -> Iterator[None]:
    """Take back, where the body that is made of the rig ``ob`` meanwhile is refused, all that was done."""
    mode, selected, before = ob.mode, context.selected_objects, set(bpy.data.objects)
    try:
        yield
    except RigError:
        made = set(bpy.data.objects) - before
        bpy.data.batch_remove([*made, *(each.data for each in made if each.data)])
        for each in selected:
            each.select_set(True)
        context.view_layer.objects.active = ob
        bpy.ops.object.mode_set(mode=mode)
        raise


def _open_collections(ob: Object) -> list[Collection]:
    """Return the collections of the object that others can be linked to."""
    return [each for each in ob.users_collection if not (each.library or each.override_library)]


def pose_as_joints(body: Object, ob: Object) -> None:
    """Pose the body's bones as the joints of the rig are posed. Raises what ``joints_alike`` does."""
    joints = joints_alike(body, ob)
    to_body = body.matrix_world.inverted() @ ob.matrix_world
    posed = {name: to_body @ ob.pose.bones[joint].matrix for name, joint in joints.items()}
    for bone in (bone for bone in body.pose.bones if bone.name in posed):
        rest, above, given = bone.bone, bone.parent, {}
        if above is not None:
            parent = posed.get(above.name, above.matrix)
            given = {"parent_matrix": parent, "parent_matrix_local": above.bone.matrix_local}
        bone.matrix_basis = rest.convert_local_to_pose(
            posed[bone.name], rest.matrix_local, **given, invert=True
        )
    body.update_tag()


def away_from_joints(body: Object, ob: Object) -> tuple[str, float]:
    """Return the bone that is shown farthest from its joint of the rig, and how far, in scene units.

    0 for what cannot be seen. Bones cannot be sheared as joints can: by stretch above them, or scale.
    """
    bones, joints = body.pose.bones, joints_alike(body, ob)
    apart = {
        name: (body.matrix_world @ bones[name].head - ob.matrix_world @ ob.pose.bones[joint].head).length
        for name, joint in joints.items()
    }
    name = max(apart, key=apart.__getitem__)
    visible = VISIBLE_DISTANCE * shown_extent(body)
    return name, apart[name] if apart[name] > visible else 0.0


def body_of(scene: Scene, ob: Object) -> Object | None:
    """Return the armature object in the scene that is the body of a rig with controls, if there is one."""
    armatures = (other for other in scene.objects if other.type == 'ARMATURE' and other != ob)
    return next((other for other in armatures if control_rig_of(other) == ob), None)


def control_pair(scene: Scene, ob: Object) -> tuple[Object, Object]:
    """Return the rig with controls and its body, of which ``ob`` is one. Raises RigError."""
    rig = control_rig_of(ob)
    body = ob if rig else body_of(scene, ob)
    if body is None:
        raise RigError(f"'{ob.name}' has no body: press Make Body, or choose it as another armature's Rig")
    return rig or ob, body


def control_rig_of(ob: Object) -> Object | None:
    """Return the rig whose joints the armature object is; merely reading settings would store them."""
    return ob.superpose.control_rig if ob.is_property_set("superpose") else None
