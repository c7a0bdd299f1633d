# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which armature and which bones are meant where none is named: the active one and the selected ones.

In Object Mode nobody sees which bones these are, but targets stand for their bones there.
"""

from collections.abc import Collection

from bpy.types import Bone, Context, Object, PoseBone

from ..setup.effectors import effectors_of
from ..setup.empties import made_for


def rig_meant(context: Context) -> Object | None:
    """Return the active object, or the armature that it is a target of or, in Object Mode, a mesh of."""
    active = context.object
    return active and (made_for(active) or _deforming(context, active) or active)


def _deforming(context: Context, ob: Object) -> Object | None:
    """Return the armature in the view layer that deforms a mesh."""
    rig = ob.find_armature() if ob.type == 'MESH' and ob.mode == 'OBJECT' else None
    return rig if rig and context.view_layer.objects.get(rig.name) == rig else None


def instance_text(ob: Object) -> str:
    """Say of an object that shows a collection with an armature how to come by that; nothing of others."""
    shown = ob.instance_collection if ob.instance_type == 'COLLECTION' else None
    rigs = [each for each in shown.all_objects if each.type == 'ARMATURE'] if shown else []
    if not rigs:
        return ""
    way = "Object > Library Override > Make" if shown.library else "Object > Apply > Make Instances Real"
    return f"'{ob.name}' only shows the armature '{rigs[0].name}' of a collection: choose {way} first"


def is_selected(bone: PoseBone) -> bool:
    """Return whether the bone is selected."""
    return _holder(bone).select


def set_selected(bone: PoseBone, on: bool) -> None:
    """Select the bone or not."""
    _holder(bone).select = on


def _holder(bone: PoseBone) -> PoseBone | Bone:
    """Return what has the bone's selection: from Blender 5.0 on the pose bone."""
    return bone if hasattr(bone, "select") else bone.bone


def selected_bones(ob: Object) -> list[PoseBone]:
    """Return the selected bones of the armature object, whether anybody sees them or not."""
    return [bone for bone in ob.pose.bones if is_selected(bone)]


def bone_meant(context: Context, ob: Object) -> PoseBone | None:
    """Return the bone whose target is the active object, or else the armature's active one."""
    stood_for = _stood_for(ob, [context.object]) if context.object != ob else ()
    active = ob.data.bones.active
    if stood_for:
        return stood_for[0]
    return ob.pose.bones.get(active.name) if active else None


def bones_meant(context: Context, ob: Object) -> list[PoseBone]:
    """Return the bones whose targets are selected or, without, active; or else the selected ones."""
    stood_for = _stood_for(ob, context.selected_objects or [context.object])
    return stood_for or selected_bones(ob)


def _stood_for(ob: Object, targets: Collection[Object | None]) -> list[PoseBone]:
    """Return the effectors that have one of the targets; in Pose Mode bones stand for themselves."""
    effectors = effectors_of(ob) if ob.mode == 'OBJECT' else ()
    return [bone for bone in effectors if bone.superpose.target and bone.superpose.target in targets]
