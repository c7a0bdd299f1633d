# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Learn from an animation what joints may do, and how they would rather be."""

from collections.abc import Generator
from math import pi

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty
from bpy.types import Context, Object, Operator, PoseBone

from ...armature import RigError, frame_numbers
from ...armature.frames.samples import Take, fitting_takes, present_take, sampled_rotations
from ...armature.setup.body import recognised_body
from ...armature.setup.body_comfort import body_comforts
from ...armature.setup.comfort import store_comfort
from ...armature.setup.limits import store_limit
from ...reports import count_text
from ...solvers import Comfort, Hinge, LearnedComfort, learn_comforts, learn_limit
from ...solvers.geometry import Array
from ...solvers.learning import HINGE_TOLERANCE, MARGIN, OUTLIERS, STRETCH, mixed_comfort
from ..mixins.dialog import fields_of
from ..mixins.frame_range import FrameRangeOperator
from .bones import SCOPES, chosen_bones


class SUPERPOSE_OT_limits_from_animation(FrameRangeOperator, Operator):
    """Give bones limits that hold the motion of an animation and little more: hinges where a bone turns \
about one axis, cones and a range of twist elsewhere. Also give them comfort poses: the mean of their \
rotations"""

    bl_idname = "superpose.limits_from_animation"
    bl_label = "Limits from Animation"
    confirm_text = "Learn"
    choice = "source"

    source: EnumProperty(
        name="Learn from",
        description="Which animation the limits and comfort poses are learned from",
        items=(
            ('ACTION', "Present Action", "The armature's action, over all of its frames, and nothing else"),
            ('ACTIONS', "All Actions", "Every action in the file that turns mostly bones of this armature"),
            ('SCENE', "Scene Frames", "The scene's frames with everything that moves the armature"),
            (
                'PREVIEW',
                "Preview Frames",
                "The scene's preview range with everything that moves the armature",
            ),
            (
                'CUSTOM',
                "Frame Range",
                "The frames from the start to the end given here, with everything that moves the armature",
            ),
        ),
    )
    step: IntProperty(
        name="Step",
        description="Frames from one sample to the next; large steps are quicker and may miss extremes",
        default=1,
        min=1,
    )
    scope: EnumProperty(
        name="Bones",
        description="Which bones learn",
        items=(
            SCOPES[0],
            ('ALL', "All but Roots", "Every bone that has a parent; roots only say where the body goes"),
        ),
        default='ALL',
    )
    use_limits: BoolProperty(
        name="Limits",
        description="Learn how far joints turn; without this, the present limits stay",
        default=True,
    )
    use_comfort: BoolProperty(
        name="Comfort Pose",
        description="Learn which pose joints are drawn to: the mean of their rotations and the spread "
        "about it",
        default=True,
    )
    human_frames: IntProperty(
        name="Human Comfort",
        description="How many frames the comfort of human joints counts as, beside the frames of the "
        "animation, if the body is a human. Use more if the animation shows little of what the body will "
        "do; too many drown what it shows",
        default=20,
        min=0,
        soft_max=1000,
    )
    use_still: BoolProperty(
        name="Still Bones",
        description="Give bones that do not turn in the animation limits that hold them where they are; "
        "without this, a comfort pose keeps them near",
    )
    stretch: FloatProperty(
        name="Stretch",
        description="Room left on either side of what the animation uses, as a share of how far it turns "
        "the bone that way: eleven percent make a region half as large again. Too much lets joints bend as "
        "they never do",
        default=100 * STRETCH,
        min=0.0,
        max=100.0,
        soft_max=25.0,
        subtype='PERCENTAGE',
    )
    margin: FloatProperty(
        name="Margin",
        description="Smallest room left all round, the same for all bones; other motion than this one "
        "needs about ten degrees. Too much lets joints bend as they never do",
        default=MARGIN,
        min=0.0,
        max=pi,
        soft_max=pi / 4,
        subtype='ANGLE',
    )
    outliers: FloatProperty(
        name="Outliers",
        description="Share of each bone's most unusual frames that may be left out: flips of a capture. "
        "Too much cuts off real extremes",
        default=100 * OUTLIERS,
        min=0.0,
        max=50.0,
        soft_max=5.0,
        subtype='PERCENTAGE',
    )
    hinge_tolerance: FloatProperty(
        name="Hinge Tolerance",
        description="How far a bone may turn off one axis and still become a hinge; the hinge then allows "
        "only that axis. Too much takes away real motion",
        default=HINGE_TOLERANCE,
        min=0.0,
        max=pi / 4,
        subtype='ANGLE',
        precision=2,
    )

    def draw(self, _context: Context) -> None:
        layout = fields_of(self.layout)
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
        row = layout.row()
        row.enabled = self.use_comfort
        row.prop(self, "human_frames")
        layout.prop(self, "use_still")
        col = layout.column(align=True)
        col.prop(self, "outliers")
        col = col.column(align=True)
        col.enabled = self.use_limits
        col.prop(self, "stretch")
        col.prop(self, "margin")
        col.prop(self, "hinge_tolerance")

    def work(self, context: Context, ob: Object) -> Generator[int]:
        """Learn, giving the frames read or the bones learned so far."""
        if not (self.use_limits or self.use_comfort):
            raise RigError("Choose limits or comfort poses to learn, or both")
        bones = self.bones(context, ob)
        takes = self.takes(context, ob)
        self.phase, self.total = "Reading frame", sum(len(take.frames) for take in takes)
        rotations = yield from sampled_rotations(context, ob, bones, takes)
        self.phase, self.total, learned = "Learning bone", len(bones), []
        for number, bone in enumerate(bones):
            learned.append(self.learned(bone, rotations[:, number, None]))
            yield number + 1
        self.store(ob, learned, len(rotations))
        if self.use_limits:
            context.scene.superpose_show_limits = True

    def learned(self, bone: PoseBone, samples: Array) -> LearnedComfort:
        """Return what the samples (frames, 1, 4) say of the bone."""
        (rests,) = learn_comforts([bone.name], samples, self.outliers / 100)
        if not self.use_limits or (rests.is_still and not self.use_still):
            return rests
        return learn_limit(rests, self.margin, self.hinge_tolerance, self.stretch / 100)

    def comforts(self, ob: Object, learned: list[LearnedComfort]) -> list[Comfort]:
        """Return what was learned of comfort, mixed with that of human joints where the bones are such."""
        body = recognised_body(ob)
        known = body_comforts(ob, body) if body.kind == "human" and body.is_sure else {}
        return [
            mixed_comfort(found.comfort, known[bone], len(found.usual), self.human_frames)
            if (bone := found.comfort.bone) in known
            else found.comfort
            for found in learned
        ]

    def bones(self, context: Context, ob: Object) -> list[PoseBone]:
        """Return the bones that learn; raises RigError if there are none."""
        chosen = chosen_bones(context, ob, self.scope)
        bones = [bone for bone in chosen if self.scope == 'SELECTED' or bone.parent is not None]
        if not bones:
            raise RigError(f"Armature '{ob.name}' has only root bones: select the bones that should learn")
        return bones

    def takes(self, context: Context, ob: Object) -> list[Take]:
        """Return the frames to look at; raises RigError."""
        if self.source == 'ACTION':
            return present_take(ob, self.step)
        if self.source == 'ACTIONS':
            return fitting_takes(ob, self.step)
        return [Take(frame_numbers(context.scene, self.source, self.frame_start, self.frame_end, self.step))]

    def store(self, ob: Object, learned: list[LearnedComfort], frames: int) -> None:
        """Write what was learned, and tell; raises RigError if that is nothing."""
        limited = [found for found in learned if self.use_still or not found.is_still]
        if not limited:
            raise RigError(
                f"No bone turns in the {frames} frames: choose other frames, or switch Still Bones on"
            )
        counts = dict.fromkeys(("a hinge", "cones", "a comfort pose"), 0)
        for found in limited if self.use_limits else ():
            store_limit(ob.pose.bones[found.comfort.bone], found.limit)
            counts["a hinge" if isinstance(found.limit, Hinge) else "cones"] += 1
        for comfort in self.comforts(ob, learned) if self.use_comfort else ():
            store_comfort(ob.pose.bones[comfort.bone], comfort)
            counts["a comfort pose"] += 1
        parts = [f"{count_text(count, 'bone')} got {what}" for what, count in counts.items() if count]
        still = self.use_limits * (len(learned) - len(limited))
        left = f"; {count_text(still, 'bone')} got no limit: no turn in this animation" if still else ""
        self.report({'INFO'}, f"Learned from {count_text(frames, 'frame')}: {', '.join(parts)}{left}")


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_limits_from_animation,))
