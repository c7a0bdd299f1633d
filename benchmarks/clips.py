"""Motion-capture clips as arrays: a rig, its poses at 30 frames a second and the six effectors."""

from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np

from .blender_ik import bone_order, read_pose
from .rigs import Rig, read_rig

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data" / "motion"
FPS = 30
LEAD_IN = 8  # rows of an untrimmed clip that blend from a T-pose into the motion

EFFECTORS = {
    "cmu_14_14": ("Hips", "Head", "LeftWrist", "RightWrist", "LeftAnkle", "RightAnkle"),
    "cmu": ("hip", "head", "lHand", "rHand", "lFoot", "rFoot"),
    "fair": ("Hips", "Head", "LeftHand", "RightHand", "LeftFoot", "RightFoot"),
}
HAND = ("RightHand", *(f"RightHand{finger}5" for finger in ("Thumb", "Index", "Middle", "Ring", "Pinky")))


@dataclass(frozen=True)
class Clip:
    """Poses (frames, bones, 4, 4) in armature space, their action, and the object, at rest, to solve on."""

    name: str
    rig: Rig
    poses: np.ndarray
    armature_object: object
    action: object

    @property
    def targets(self):
        """The effectors' bone matrices (frames, effectors, 4, 4)."""
        return self.poses[:, self.rig.effectors]


def files():
    """The full-body clips."""
    return sorted(path for path in FOLDER.glob("*.bvh") if effectors_of(path))


def effectors_of(path):
    """Hips, head, hands and feet of a clip by its file's name; None for the hand clip."""
    return next((names for prefix, names in EFFECTORS.items() if path.name.startswith(prefix)), None)


def is_trimmed(path):
    """Whether the file's name says that rows were cut (``_f200-1400``)."""
    return "_f" in path.stem


def import_bvh(path):
    """The armature object of a BVH file in an empty scene."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    axis = {"axis_up": "Z"} if "zup" in path.stem else {}
    bpy.ops.import_anim.bvh(
        filepath=str(path), update_scene_fps=True, update_scene_duration=True, rotate_mode="NATIVE", **axis
    )
    return bpy.context.object


def frames_to_read(armature_object, path):
    """Scene frames at 30 a second; the action knows the clip's length, the scene's range does not."""
    render = bpy.context.scene.render
    first, last = map(int, armature_object.animation_data.action.frame_range)
    skipped = 0 if is_trimmed(path) else LEAD_IN
    return range(first + skipped, last + 1, round(render.fps / render.fps_base / FPS))


def read_clip(path):
    """Import a clip, read its poses and put the armature back to rest without its action."""
    armature_object = import_bvh(path)
    rig, poses = read_rig(armature_object.data, effectors_of(path)), []
    order = bone_order(armature_object, rig)
    for frame in frames_to_read(armature_object, path):
        bpy.context.scene.frame_set(frame)
        poses.append(read_pose(armature_object, order))
    action = armature_object.animation_data.action
    armature_object.animation_data_clear()
    return Clip(path.stem, rig, np.array(poses), armature_object, action)
