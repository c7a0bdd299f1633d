# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What all operators share: which armature is meant, and how a refusal reaches the user."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from bpy.types import Context, Object

from ...armature import RigError, check_armature, read_rig
from ...armature.rig.meant import instance_text, rig_meant
from ...solvers import SolverError

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems


def armature_of(context: Context) -> Object:
    """Return the armature to work on, as ``rig_meant`` has it.

    Raises RigError saying why there is none, or why it cannot be worked on.
    """
    ob = rig_meant(context)
    check_armature(ob)
    others = [other.name for other in rivals(context, ob)]
    if others:
        names = ", ".join([ob.name, *others])
        if ob.mode == 'POSE':
            raise RigError(
                f"Several armatures are in Pose Mode ({names}): Pose Body drags any of them; "
                "for the rest enter it with only one"
            )
        raise RigError(f"Several armatures are selected ({names}): select only one")
    return ob


def rivals(context: Context, ob: Object) -> list[Object]:
    """Return the other armatures that the user might have meant: in Pose Mode those in Pose Mode too."""
    armatures = (other for other in context.view_layer.objects if other.type == 'ARMATURE' and other != ob)
    if ob.mode == 'POSE':
        return [other for other in armatures if other.mode == 'POSE']
    return [other for other in armatures if other in context.selected_objects]


class RigOperator:
    """Mixin of operators that work on one armature: they implement ``run``."""

    bl_options = {'REGISTER', 'UNDO'}
    rig_meant, instance_text = staticmethod(rig_meant), staticmethod(instance_text)

    @classmethod
    def poll(cls, context: Context) -> bool:
        why = cls.refusal(context)
        if why:
            cls.poll_message_set(why)
        return not why

    @classmethod
    def refusal(cls, context: Context) -> str:
        """Return why the operator cannot be called here, or nothing; the panel says it too."""
        try:
            cls.check_context(context)
        except RigError as error:
            return str(error)
        return ""

    @classmethod
    def check_context(cls, context: Context) -> None:
        """Raise RigError where the operator has nothing to work on."""
        armature_of(context)

    def execute(self, context: Context) -> "set[OperatorReturnItems]":
        return self.attempt(context, lambda: self._followed(context, armature_of(context)))

    def _followed(self, context: Context, ob: Object) -> "set[OperatorReturnItems]":
        """Run, and let *Live* see it: of settings that are removed Blender itself does not tell.

        What it poses then is in the step of undo that Blender makes next.
        """
        result = self.run(context, ob)
        if ob.superpose_live:
            ob.update_tag()
            context.view_layer.update()
        return result

    def attempt(
        self, context: Context, work: "Callable[[], set[OperatorReturnItems]]"
    ) -> "set[OperatorReturnItems]":
        """Do the work, and turn a refusal into one report; work may refuse only before it writes anything."""
        try:
            return work()
        except (RigError, SolverError) as error:
            self.report({'ERROR'}, str(error))
            self.refused(context, str(error))
            return {'CANCELLED'}

    def refused(self, context: Context, why: str) -> None:
        """Do what has to be done besides the report; nothing in the file."""

    def foresee(self, ob: Object) -> None:
        """Warn where what has been set up would be refused, rather than leave it to Solve."""
        try:
            read_rig(ob)
        except (RigError, SolverError) as error:
            self.report({'WARNING'}, f"This cannot be solved yet: {error}")
