# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Move or turn one bone, by values or with the mouse; the body follows."""

from typing import TYPE_CHECKING

import bpy
import numpy as np
from bpy.props import BoolProperty, FloatVectorProperty, StringProperty
from bpy.types import Context, Object, Operator
from mathutils import Euler, Matrix

from ...armature import RigError, check_armature
from ...reports import Report, refuse
from ...solvers import SolverError
from ..setup.first_set_up import FirstSetUp, set_up_first, set_up_text
from .adjusting import goes_on
from .motion import Motion
from .puppet import Puppet, take_hold
from .selection import active_bone, choose
from .settling import left_behind_text, settle, stand_on
from .with_mouse import MouseOperator

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


class SUPERPOSE_OT_pose(MouseOperator, Operator):
    """Move or turn a bone and let the body follow; pinned bones stay where they are"""

    bl_idname = "superpose.pose"
    bl_label = "Pose"
    bl_options = {'REGISTER', 'UNDO', 'BLOCKING'}

    bone: StringProperty(name="Bone", description="Bone that is moved or turned; if empty, the active bone")
    translation: FloatVectorProperty(
        name="Move",
        description="How far the bone is moved along the scene's axes",
        subtype='TRANSLATION',
        unit='LENGTH',
    )
    rotation: FloatVectorProperty(
        name="Turn",
        description="How far the bone is turned about the scene's axes X, Y and Z, one after the other",
        subtype='EULER',
        unit='ROTATION',
    )

    release_pins: BoolProperty(
        name="Release Pins",
        description="Let pinned bones go with the body, and all that hangs on the bone go with it",
        options={'SKIP_SAVE'},
    )
    makes_set_up: BoolProperty(
        name="Makes Set-Up",
        description="The drag has set up the body; if you cancel the drag, the set-up is removed too",
        options={'SKIP_SAVE', 'HIDDEN'},
    )

    armature: StringProperty(
        name="Armature",
        description="Armature whose bone was dragged; without one it is the active one",
        options={'SKIP_SAVE', 'HIDDEN'},
    )

    @classmethod
    def check_context(cls, context: Context) -> None:
        check_armature(context.object)
        if context.object.mode not in {'POSE', 'OBJECT'}:
            raise RigError("Bones are dragged in Pose Mode")

    def execute(self, context: Context) -> "set[OperatorReturnItems]":
        return self.attempt(context, lambda: self.run(context, self.meant(context)))

    def meant(self, context: Context) -> Object:
        """Return the armature; one that was dragged is chosen again with its bone, as undo took that back."""
        ob = context.view_layer.objects.get(self.armature)
        if ob is None:
            return context.object
        self.check_bone(ob)
        choose(context, ob, self.bone)
        return ob

    def refused(self, context: Context, why: str) -> None:
        """Have the panel say it of the armature whose bone was meant, if one was."""
        ob = context.view_layer.objects.get(self.armature) or context.object
        if self.bone and ob:
            refuse(ob, why)

    def run(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        self.bone = self.bone or active_bone(ob)
        self.check_bone(ob)
        first, puppet = set_up_first(ob), None
        try:
            puppet = take_hold(context, ob, self.bone, turns=any(self.rotation))
            asked = self.kept_motion, self.release_pins
            if self.ended is None or not goes_on(puppet, ob, self.ended, *asked):
                puppet.put(ob, *asked)
            settled = self.settle(context, ob, puppet)
        except (RigError, SolverError):
            if puppet:
                puppet.take_back(ob)
            if first:
                first.take_back(ob)
            raise
        finally:
            if puppet:
                puppet.let_go(context)
        self.tell(context, ob, puppet, first, *settled)
        return {'FINISHED'}

    def check_bone(self, ob: Object) -> None:
        """Raise RigError unless the armature has the bone."""
        if self.bone not in ob.pose.bones:
            known = f"Armature '{ob.name}' has no bone '{self.bone}'"
            raise RigError(known if self.bone else "Choose a bone to drag first")

    @property
    def kept_motion(self) -> Motion:
        """The motion that the properties say."""
        turn = np.array(Euler(self.rotation, 'XYZ').to_matrix())
        return Motion(np.array(self.translation, dtype=np.float64), turn)

    def keep(self, motion: Motion) -> Motion:
        """Have the properties say a motion, and return it as they do: in fewer digits."""
        self.translation = motion.translation
        self.rotation = Matrix(motion.rotation.tolist()).to_euler('XYZ')
        return self.kept_motion

    def finish(
        self, context: Context, ob: Object, motion: Motion, are_pins_released: bool
    ) -> "set[OperatorReturnItems]":
        """Leave the body where the mouse has taken it."""
        self.release_pins = are_pins_released
        if not any((*self.translation, *self.rotation)):
            return {'CANCELLED'}
        self.puppet.follow(ob, motion, are_pins_released)
        settled = self.settle(context, ob, self.puppet)
        self.ended = self.puppet.drag
        self.tell(context, ob, self.puppet, self.first, *settled)
        return {'FINISHED'}

    def settle(self, context: Context, ob: Object, puppet: Puppet) -> tuple[Report, str]:
        """Leave the body as it rests, and return how it went, and what to say of the keys.

        Raises RigError or SolverError.
        """
        settled = settle(context, ob, puppet)
        if any(self.translation):
            stand_on(ob, puppet, self.face and self.face.as_ground)
        return settled

    def tell(
        self,
        context: Context,
        ob: Object,
        puppet: Puppet,
        first: FirstSetUp | None,
        report: Report,
        of_keys: str,
    ) -> None:
        """Say that a set-up was made, what of the bone was missed, which targets could not go along, and what
        was not keyed; last what matters most."""
        made = set_up_text(ob) if first else ""
        missed, stay = puppet.missed_text(context.scene, report), left_behind_text(ob, puppet)
        said = "; ".join(filter(None, (made, missed, stay)))
        kind = 'WARNING' if missed or stay else 'INFO'
        told = [(kind, said[:1].upper() + said[1:]), ('INFO', of_keys)]
        for kind, words in reversed(told) if missed or stay else told:
            if words:
                self.report({kind}, words)


register, unregister = bpy.utils.register_classes_factory((SUPERPOSE_OT_pose,))
