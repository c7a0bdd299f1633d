# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Learn from an animation what joints may do, and how they would rather be."""

from collections.abc import Generator
from math import pi

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty
from bpy.types import Context, Object, Operator, PoseBone

from ..armature import RigError, frame_numbers, present_frame_kept
from ..armature.animation_samples import Take, fitting_takes, present_take, sampled_rotations
from ..armature.comfort import store_comfort
from ..armature.limits import store_limit
from ..solvers import Hinge, LearnedLimit, learn_limits
from ..solvers.learning.learned_limits import HINGE_TOLERANCE, MARGIN, OUTLIERS
from .bones import SCOPES, chosen_bones
from .pose_kept import pose_kept
from .stepwise import StepwiseOperator


class SUPERPOSE_OT_limits_from_animation(StepwiseOperator, Operator):
    """Give bones the smallest limits that hold how an animation turns them: hinges where it turns them
    about one axis, cones and a range of twist elsewhere. And comfort poses: the mean of their rotations"""

    bl_idname = "superpose.limits_from_animation"
    bl_label = "Limits from Animation"
    confirm_text = "Learn"

    source: EnumProperty(
        name="Learn from",
        description="Which animation says what the joints may do",
        items=(
            ('ACTION', "Present Action", "The armature's action, over all of its frames, and nothing else"),
            ('ACTIONS', "All Actions", "Every action in the file that turns mostly bones of this armature"),
            ('SCENE', "Scene Frames", "The scene's frames with all that moves the armature then"),
            ('PREVIEW', "Preview Frames", "The scene's preview range, likewise"),
            ('CUSTOM', "Frame Range", "The frames from the start to the end given here, likewise"),
        ),
    )
    frame_start: IntProperty(name="Start", description="First frame of the custom range", default=1)
    frame_end: IntProperty(name="End", description="Last frame of the custom range", default=250)
    step: IntProperty(
        name="Step",
        description="Frames from one look to the next; large steps are quicker and may miss extremes",
        default=1,
        min=1,
    )
    scope: EnumProperty(
        name="Bones",
        description="Which bones learn",
        items=(
            SCOPES[0],
            ('ALL', "All but Roots", "Every bone that has a parent; roots go where the body goes"),
        ),
        default='ALL',
    )
    use_limits: BoolProperty(
        name="Limits",
        description="Learn what joints may do; without, the limits that they have stay",
        default=True,
    )
    use_comfort: BoolProperty(
        name="Comfort Pose",
        description="Learn how joints would rather be: the mean of their rotations and the spread about it",
        default=True,
    )
    margin: FloatProperty(
        name="Margin",
        description="Room left round what the animation uses; too much lets joints bend as they never do",
        default=MARGIN,
        min=0.0,
        max=pi,
        soft_max=pi / 4,
        subtype='ANGLE',
    )
    outliers: FloatProperty(
        name="Outliers",
        description="Share of each bone's frames, the most unusual, that may be left out: flips of a capture",
        default=100 * OUTLIERS,
        min=0.0,
        max=50.0,
        soft_max=5.0,
        subtype='PERCENTAGE',
    )
    hinge_tolerance: FloatProperty(
        name="Hinge Tolerance",
        description="How far a bone may turn off one axis and still become a hinge, which takes that away",
        default=HINGE_TOLERANCE,
        min=0.0,
        max=pi / 4,
        subtype='ANGLE',
        precision=2,
    )

    def draw(self, _context: Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(self, "source")
        col = layout.column(align=True)
        if self.source == 'CUSTOM':
            col.prop(self, "frame_start")
            col.prop(self, "frame_end", text="End")
        col.prop(self, "step")
        layout.prop(self, "scope")
        col = layout.column(heading="Learn")
        col.prop(self, "use_limits")
        col.prop(self, "use_comfort")
        col = layout.column(align=True)
        col.prop(self, "outliers")
        col = col.column(align=True)
        col.enabled = self.use_limits
        col.prop(self, "margin")
        col.prop(self, "hinge_tolerance")

    def work(self, context: Context, ob: Object) -> Generator[int]:
        """Learn, giving the frames read or the bones learned so far."""
        if not (self.use_limits or self.use_comfort):
            raise RigError("Choose limits or comfort poses to learn, or both")
        bones = self.bones(ob)
        takes = self.takes(context, ob)
        self.phase, self.total = "Reading frame", sum(len(take.frames) for take in takes)
        with pose_kept(ob), present_frame_kept(context.scene):
            rotations = yield from sampled_rotations(context, ob, bones, takes)
        self.phase, self.total, learned = "Learning bone", len(bones), []
        for number, bone in enumerate(bones):
            samples = rotations[:, number, None]
            options = self.margin, self.outliers / 100, self.hinge_tolerance
            learned += learn_limits([bone.name], samples, *options)
            yield number + 1
        self.store(bones, learned, len(rotations))

    def bones(self, ob: Object) -> list[PoseBone]:
        """Return the bones that learn; raises RigError if there are none."""
        chosen = chosen_bones(ob, self.scope)
        bones = [bone for bone in chosen if self.scope == 'SELECTED' or bone.parent is not None]
        if not bones:
            raise RigError(f"Armature '{ob.name}' has no bones but roots: select those that should learn")
        return bones

    def takes(self, context: Context, ob: Object) -> list[Take]:
        """Return the frames to look at; raises RigError."""
        if self.source == 'ACTION':
            return present_take(ob, self.step)
        if self.source == 'ACTIONS':
            return fitting_takes(ob, self.step)
        return [Take(frame_numbers(context.scene, self.source, self.frame_start, self.frame_end, self.step))]

    def store(self, bones: list[PoseBone], learned: list[LearnedLimit], frames: int) -> None:
        """Write what was learned, and tell."""
        counts = {}
        for bone, found in zip(bones, learned, strict=True):
            if self.use_limits:
                store_limit(bone, found.limit)
                kind = "a hinge" if isinstance(found.limit, Hinge) else "cones"
                counts[kind] = counts.get(kind, 0) + 1
            if self.use_comfort:
                store_comfort(bone, found.comfort)
                counts["a comfort pose"] = counts.get("a comfort pose", 0) + 1
        parts = [f"{count} bone{'s' * (count > 1)} got {what}" for what, count in counts.items()]
        self.report({'INFO'}, f"Learned from {frames} frame{'s' * (frames > 1)}: {', '.join(parts)}")


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_limits_from_animation,))
