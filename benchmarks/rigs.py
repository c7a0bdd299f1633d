"""Rigs to measure on: Blender armatures, and the arrays every contender is given."""

from dataclasses import dataclass

import numpy as np

FIGURE_HEIGHT = 1.75  # metres; residuals are stated for a figure of this height

LIMB_PARTS = ("shoulder", "upper_arm", "forearm", "hand", "thigh", "shin", "foot")
METARIG_BONES = (
    "spine",
    *(f"spine.00{number}" for number in range(1, 7)),
    *(f"{part}.{side}" for side in "LR" for part in LIMB_PARTS),
)
METARIG_EFFECTORS = ("spine", "spine.006", "hand.L", "hand.R", "foot.L", "foot.R")


@dataclass(frozen=True, eq=False)
class Rig:
    """Bones, parents first, and the effectors among them; the first effector is the hips.

    ``rest`` (bones, 4, 4) is in armature space, ``lengths`` in armature units, ``scale`` takes armature
    units to metres of a 1.75 m figure.
    """

    names: tuple
    parents: np.ndarray
    rest: np.ndarray
    lengths: np.ndarray
    effectors: np.ndarray
    scale: float


def depth_first(bones):
    """The bones, parents first, each branch in one piece."""
    for bone in bones:
        yield bone
        yield from depth_first(bone.children)


def figure_extent(bones, axis=2):
    """Extent of the bones' heads and tails along an armature axis, in armature units."""
    return np.ptp([point[axis] for bone in bones for point in (bone.head_local, bone.tail_local)])


def read_rig(armature, effectors, axis=2):
    """The arrays of a Blender armature data-block whose bones are all part of the problem."""
    bones = list(depth_first([bone for bone in armature.bones if bone.parent is None]))
    index = {bone.name: number for number, bone in enumerate(bones)}
    return Rig(
        names=tuple(index),
        parents=np.array([index[bone.parent.name] if bone.parent else -1 for bone in bones]),
        rest=np.array([bone.matrix_local for bone in bones], dtype=float),
        lengths=np.array([bone.length for bone in bones]),
        effectors=np.array([index[name] for name in effectors]),
        scale=FIGURE_HEIGHT / figure_extent(bones, axis),
    )


def subset(rig, names):
    """The rig of only these bones; a bone's parent is its nearest kept ancestor."""
    kept = [bone for bone, name in enumerate(rig.names) if name in names]
    number = {bone: place for place, bone in enumerate(kept)}
    number[-1] = -1

    def kept_parent(bone):
        parent = rig.parents[bone]
        return number[parent] if parent in number else kept_parent(parent)

    return Rig(
        names=tuple(rig.names[bone] for bone in kept),
        parents=np.array([kept_parent(bone) for bone in kept]),
        rest=rig.rest[kept],
        lengths=rig.lengths[kept],
        effectors=np.array([number[bone] for bone in rig.effectors]),
        scale=rig.scale,
    )


def path_to_hips(rig, effector):
    """Bones from an effector up to, but without, the hips."""
    path, bone = [], effector
    while bone >= 0 and bone != rig.effectors[0]:
        path.append(int(bone))
        bone = rig.parents[bone]
    return path


def add_human_metarig():
    """Rigify's human metarig in an empty scene: the object and the rig of its 21 body bones."""
    import bpy
    from addon_utils import enable  # in a wheel it is there once bpy is

    bpy.ops.wm.read_factory_settings(use_empty=True)
    enable("rigify", default_set=True)
    bpy.ops.object.armature_human_metarig_add()
    armature_object = bpy.context.object
    return armature_object, subset(read_rig(armature_object.data, METARIG_EFFECTORS), METARIG_BONES)


def remove_other_bones(armature_object, rig):
    """Leave only the rig's bones, so that nothing else is evaluated while the clock runs."""
    import bpy

    bpy.ops.object.mode_set(mode="EDIT")
    bones = armature_object.data.edit_bones
    for name in set(bones.keys()) - set(rig.names):
        bones.remove(bones[name])
    bpy.ops.object.mode_set(mode="OBJECT")
