# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The set-up of a body that is dragged or pinned before it has one: Set Up Body's without targets or Live."""

from dataclasses import dataclass

from bpy.types import Object

from ...armature import RigError, effectors_of
from ...armature.by_role.plan import Plan, plan_for, what_places
from ...armature.by_role.preset import shipped_presets
from ...armature.by_role.recognised import check_sure, doubtful_holds, whole_body
from .belongings import clear, clear_made

# What a set-up stores on the armature itself.
_STORED = ("root_location", "chosen_root_bone", "made_as")
_LIMBS = ("arm", "chain")
_OF_CONTROLS = "Controls move the body: press Make Body, under Whole Body > Controls, to drag all of it"


@dataclass(frozen=True)
class FirstSetUp:
    """What was stored before on the armature and its bones, so that all else can be taken back.

    ``unset``: the armature's settings that were not.
    """

    bones: frozenset[str]
    unset: tuple[str, ...]
    is_stored: bool

    def take_back(self, ob: Object) -> None:
        """Delete what the set-up has stored."""
        for bone in ob.pose.bones:
            if bone.name in self.bones:
                clear_made(bone)
            else:
                clear(bone)
        for name in self.unset:
            ob.superpose.property_unset(name)
        if not self.is_stored:
            ob.property_unset("superpose")


def set_up_first(ob: Object) -> FirstSetUp | None:
    """Set the armature up as the body that it surely is, if nothing is set up; else return None."""
    plan = None if effectors_of(ob) else plan_of_body(ob)
    if plan is None:
        return None
    stored = frozenset(bone.name for bone in ob.pose.bones if bone.is_property_set("superpose"))
    is_stored = ob.is_property_set("superpose")
    unset = [name for name in _STORED if not (is_stored and ob.superpose.is_property_set(name))]
    plan.store(ob)
    return FirstSetUp(stored, tuple(unset), is_stored)


def set_up_text(ob: Object) -> str:
    """Return what to say of an armature that was set up."""
    return f"'{ob.name}' was set up on the way: effectors, limits and comfort"


def doubt_text(ob: Object) -> str:
    """Return why nothing holds an armature without effectors that may be a body with limbs, and what to do.

    A single limb goes as its chain does, set up or not.
    """
    body = whole_body(ob)
    if effectors_of(ob) or body.kind in _LIMBS or not body.holds():
        return ""
    if not body.is_sure or body.missing() or doubtful_holds(body):
        sure = int(100 * body.sure)
        return f"Nothing holds the body ({body.kind}, {sure} % sure): Set Up Body asks what it is"
    return _OF_CONTROLS if what_places(ob, body.holds().values()) else ""


def plan_of_body(ob: Object) -> Plan | None:
    """Return what the armature gets; None where it is no body for sure, or its bones follow controls."""
    body = whole_body(ob)
    preset = shipped_presets().get(body.kind)
    if preset is None:
        return None
    try:
        check_sure(ob, body)
        return plan_for(ob, body, preset)
    except RigError:  # then the chain of the bone that is dragged does
        return None
