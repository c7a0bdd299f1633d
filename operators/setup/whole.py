# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the operators share that set up a whole body by a preset."""

from dataclasses import replace

from bpy.props import BoolProperty
from bpy.types import Context, Object, UILayout

from ...armature import leave_as_posed
from ...armature.by_role.plan import Plan, plan_for
from ...armature.by_role.preset import Preset
from ...armature.limits.outside import outside_as_posed
from ...armature.problem.places import check_shown
from ...bodies import Body
from ...reports import forget_pose, names_text
from ..mixins.report import ReportOperator
from ..mixins.rig import RigOperator
from .create_targets import give_targets, has_keys, has_own_target, without_vehicle
from .goals import give_target
from .remove import take_back_moved_roles, take_back_other_kind


class WholeBodyOperator(ReportOperator, RigOperator):
    """Mixin of operators that set up a whole body; the user chooses what of it."""

    use_targets: BoolProperty(
        name="Targets",
        description="Give every effector a target; without a target, its bone stays where it is",
        default=True,
    )
    use_limits: BoolProperty(
        name="Limits",
        description="Give joints without a limit of their own the usual limit of that joint in such a body",
        default=True,
    )
    use_comfort: BoolProperty(
        name="Comfort",
        description="Give joints without a comfort pose the usual comfort pose of that joint in such a body",
        default=True,
    )
    use_live: BoolProperty(
        name="Live",
        description="Let the body follow while you move targets",
        default=True,
    )

    def set_up(self, context: Context, ob: Object, body: Body, preset: Preset, anew: bool = False) -> None:
        """Set the armature up as the body that it is, in one go, and say what that was; may refuse before."""
        plan = plan_for(ob, body, self.chosen(preset), context)
        check_shown(ob, ob.pose.bones.keys())
        other = take_back_other_kind(context, ob, plan.kind)
        gone = take_back_moved_roles(context, ob, plan, preset)
        kept = plan.store(ob, anew)
        for goal in plan.goals:  # one after the other: what is added moves those that are there
            give_target(context, ob, goal.stored_in(ob, body))
        bones = [ob.pose.bones[name] for name in plan.effectors]
        without = [bone for bone in bones if not has_own_target(bone)] if self.use_targets else []
        if without:
            give_targets(context, ob, without)
        if plan.limits:
            context.scene.superpose_show_limits = True
        if self.use_live:
            ob.superpose_live = True
            leave_as_posed(ob)
        forget_pose(ob)
        self.foresee(ob)
        self.tell(ob, plan, kept, gone, other, without_vehicle(ob) if without else "")

    def draw_choices(self, col: UILayout) -> None:
        """Draw what of a set-up the user may choose."""
        for name in ("use_targets", "use_limits", "use_comfort", "use_live"):
            col.prop(self, name)

    def chosen(self, preset: Preset) -> Preset:
        """Return the preset without what the user does not want of it."""
        limits, comfort = preset.limits and self.use_limits, preset.comfort and self.use_comfort
        return replace(preset, limits=limits, comfort=comfort)

    def tell(self, ob: Object, plan: Plan, kept: list[str], gone: list[str], other: str, left: str) -> None:
        """Report how the body was set up.

        - what holds it now, and the bones, ``gone``, that hold it no longer
        - ``other``: the kind of body that it was set up as before, or nothing
        - joints that got no limit, and those that are outside theirs
        - ``left``: where targets were left behind, or nothing
        - ``kept``: the bones whose settings, made by the user, stay
        """
        words = [f"Set up '{ob.name}' ({plan.kind}), held by {', '.join(plan.effectors)}"]
        words += [f"what was made of it as {other} is gone"] if other else []
        words += [f"no longer by {', '.join(gone)}"] if gone else []
        posed = outside_as_posed(ob, list(plan.limits.values())) if plan.limits else set()
        doubts = {
            "no limit, as their rest pose does not fit such joints:": plan.astray,
            "outside their limits as they are posed:": [name for name in plan.limits if name in posed],
        }
        words += [f"{what} {names_text(names)}" for what, names in doubts.items() if names]
        missing = [why for why in (plan.lacks, plan.unread, left) if why]
        words += missing
        words += ["the body moves as keyed until targets have keys"] if has_keys(ob) else []
        words += [f"kept the settings of {names_text(kept)}"] if kept else []
        self.report({'WARNING' if missing or any(doubts.values()) else 'INFO'}, "; ".join(words))
