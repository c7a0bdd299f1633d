# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Have a body follow the motion of another armature."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import bpy
import numpy as np
from bpy.props import BoolProperty, EnumProperty
from bpy.types import Context, Event, Object, Operator

from ...armature import Rig, RigError, frame_numbers, frame_rate, read_frame
from ...armature.motion import Choices, Following, Tracks, following, leaders, motion_ends, scale_left_aside
from ...armature.recording.contacts import feet_of, find_standing
from ...armature.recording.marks import CONTACTS
from ...armature.recording.recording import Recording
from ...armature.setup.sides import extent
from ...reports import doubts_text, names_text, unlike_text
from ...solvers.geometry import Mask
from ..mixins.dialog import fields_of
from ..mixins.frame_range import RANGES
from ..mixins.rig import armature_of
from .reading import RecordingOperator

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


@lru_cache(maxsize=4)  # Blender keeps no words of its own
def _items(names: tuple[str, ...]) -> list[tuple[str, str, str]]:
    return [(name, name, f"Follow the motion of '{name}'") for name in names]


def _motions(_: "SUPERPOSE_OT_follow_motion", context: Context) -> list[tuple[str, str, str]]:
    """Return the armatures to choose from."""
    why = SUPERPOSE_OT_follow_motion.refusal(context)
    return [] if why else _items(tuple(ob.name for ob in leaders(context.scene, armature_of(context))))


class SUPERPOSE_OT_follow_motion(RecordingOperator, Operator):
    """Have the body follow another armature's motion, such as an imported BVH file: key its targets where \
the same parts of that body go, as large as this body and on its floor"""

    bl_idname = "superpose.follow_motion"
    bl_label = "Follow Motion"
    confirm_text = "Follow"
    patience = 0.5

    motion: EnumProperty(
        name="Motion",
        description="Animated armature that is followed; it stays as it is",
        items=_motions,
        options={'SKIP_SAVE'},
    )
    range: EnumProperty(
        name="Range",
        description="In which frames targets get keys",
        items=(('MOTION', "Motion", "All frames of the motion"), *RANGES),
    )
    use_scene_range: BoolProperty(
        name="Set Scene Range",
        description="Let the scene begin and end with these frames, so that all of them are played and baked",
        default=True,
    )
    use_level: BoolProperty(
        name="Level Floor",
        description="Turn the motion until the floor that its feet stand on is level, and lay standing feet "
        "flat on it: recordings often tilt both by some degrees. Switch it off for a slope that is meant",
        default=True,
    )
    use_turn: BoolProperty(
        name="Turn Hands",
        description="Let the rotation of every effector count, also of those that follow only with their "
        "places so far, as hands do. Without this hands turn with their forearms",
        default=True,
    )
    use_alike: BoolProperty(
        name="Count Alike",
        description="Let all that follows count as much, pinned feet and a soft chest too: weights become 1, "
        "and all have Follows as their Hold. The place of a head counts no longer if its trunk is unlike the "
        "motion's. Without this a foot that is recorded badly takes the body far out of its way",
        default=True,
    )
    use_toes: BoolProperty(
        name="Bend Toes",
        description="Bend the toes where the foot rolls over its ball, as far as the ground needs. They "
        "become effectors whose rotation alone counts. Needs Level Floor",
        default=True,
    )
    use_fingers: BoolProperty(
        name="Fingers",
        description="Key the bones of fingers as those of the motion turn, if it has some: no effector leads "
        "them. A copy of the action gets the keys; the one before stays in the file",
        default=True,
    )
    use_contacts: BoolProperty(
        name="Find Contacts",
        description="Key the frames in which feet, or hands on the ground, stand, so that bakes hold them in "
        "place",
        default=True,
    )

    @property
    def marks(self) -> Sequence[str]:
        return CONTACTS if self.use_contacts else ()

    def invoke(self, context: Context, event: Event) -> "set[OperatorReturnItems]":
        why = "" if leaders(context.scene, armature_of(context)) else self.no_motion()
        if why:
            self.report({'ERROR'}, why)
            return {'CANCELLED'}
        return RecordingOperator.invoke(self, context, event)

    def draw(self, context: Context) -> None:
        layout = fields_of(self.layout)
        layout.prop(self, "motion")
        if self.range == 'MOTION':
            layout.prop(self, "range")
        else:
            self.draw_range(context, layout)
        for name in ("use_scene_range", "use_level", "use_turn", "use_alike"):
            layout.prop(self, name)
        for name in ("use_toes", "use_fingers", "use_contacts"):
            layout.prop(self, name)

    def work(self, context: Context, ob: Object) -> Generator[int]:
        """Read the motion and key targets; closing it early leaves all as it was."""
        scene = context.scene
        leader = self.leader(context, ob)
        numbers = self.numbers(context, leader)
        found = None
        with following(context, ob, leader, self.choices) as motion:
            rig = self.rig_to_mark(context, ob)
            self.phase, self.total = "Reading frame", len(numbers)
            tracks = yield from motion.read(context, numbers)
            if self.use_contacts and (feet := feet_of(ob, rig)).any():
                found = find_standing(rig, numbers, self.followed(context, ob, rig, tracks), feet)
            along = motion.key(context, tracks)
        if found is not None:
            self.store(context, ob, rig, found, numbers[0])
        if self.use_scene_range and numbers[-1] >= 0:  # no scene begins before its frame 0
            scene.frame_start, scene.frame_end = numbers[0], numbers[-1]
        for note in tracks.notes:
            self.report({'INFO'}, note)
        self.tell(ob, self.told(ob, rig, motion, tracks, found, along))

    @property
    def choices(self) -> Choices:
        """What of the motion is followed."""
        return Choices(self.use_level, self.use_toes, self.use_turn, self.use_alike, self.use_fingers)

    def leader(self, context: Context, ob: Object) -> Object:
        """Return the armature that is followed; raises RigError."""
        found = leaders(context.scene, ob)
        if not found:
            raise RigError(self.no_motion())
        if len(found) > 1 and not (self.motion and self.properties.is_property_set("motion")):
            names = names_text([other.name for other in found])
            raise RigError(f"Several armatures are animated, so choose a motion: {names}")
        return next(other for other in found if len(found) == 1 or other.name == self.motion)

    @staticmethod
    def no_motion() -> str:
        none = "No other armature in this scene is animated"
        return f"{none}: import a motion first (File > Import), or bake one that constraints or a parent move"

    def numbers(self, context: Context, leader: Object) -> list[int]:
        """Return the frames in which targets get keys; raises RigError."""
        if self.range != 'MOTION':
            return frame_numbers(context.scene, self.range, self.frame_start, self.frame_end)
        return frame_numbers(context.scene, 'CUSTOM', *motion_ends(context.scene, leader))

    @staticmethod
    def followed(context: Context, ob: Object, rig: Rig, tracks: Tracks) -> Recording:
        """Return the targets as they are going to be recorded, whatever pose the body is in."""
        present = read_frame(rig, ob, context.evaluated_depsgraph_get())
        present = replace(present, extent=extent(ob))
        rows = [[one.bone for one in rig.effectors].index(name) for name in tracks.effectors]
        targets, offsets = (
            np.repeat(values[None], len(tracks.places), axis=0)
            for values in (present.targets, present.offsets)
        )
        targets[:, rows], offsets[:, rows] = tracks.places, rig.axis_signs[rows] * tracks.offsets
        frames = [replace(present, targets=own, offsets=of) for own, of in zip(targets, offsets, strict=True)]
        return Recording(rig, frames, frame_rate(context.scene))

    @staticmethod
    def told(
        ob: Object,
        rig: Rig,
        motion: Following,
        tracks: Tracks,
        found: Mask | None,
        along: Sequence[str],
    ) -> str:
        """Return what follows the motion and what does not, and which places, ``along``, count no longer."""
        numbers, lead = list(tracks.numbers), motion.lead
        ends = f"frames {numbers[0]} to {numbers[-1]}"
        way_on = "" if ob.superpose_live else ": Bake to Keyframes, or Live, poses the body"
        words = [f"{len(tracks.effectors)} effectors follow '{lead.leader.name}', {ends}{way_on}"]
        words += [aside] if (aside := scale_left_aside(lead.leader)) else []
        if found is not None and (said := doubts_text("Contacts", rig, numbers, found.any(axis=-1))):
            words.append(said)
        words += [f"the rotation of {names_text(motion.turned)} counts now"] if motion.turned else []
        words += [unlike_text(along)] if along else []
        words += [f"{names_text(motion.toes)} bend with the ground"] if motion.toes else []
        words += [f"{len(keyed)} bones of fingers have keys"] if (keyed := tracks.fingers.names) else []
        words += [f"nothing to follow for {names_text(lead.others)}"] if lead.others else []
        idle = [name for name in lead.others if not lead.follower.pose.bones[name].superpose.enabled]
        words += [f"{names_text(idle)} disabled"] if idle else []
        return "; ".join(words)


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_follow_motion,))
