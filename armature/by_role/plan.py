# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a preset means for an armature: all of it is found and checked before any of it is stored."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from math import radians

from bpy.types import Context, Object, PoseBone

from ...bodies import Body, TwistShare, said
from ...solvers import Comfort
from ...solvers.limits import Limit
from ..errors import RigError
from ..limits.anatomy import anatomy_of
from ..limits.from_action import fitted
from ..limits.of_body import limits_of_joints, why_unknown
from ..rig.obstacles import obstacles
from ..setup.body_comfort import body_comforts
from ..setup.comfort import read_comfort, store_comfort
from ..setup.effectors import OFFSET, is_effector, make_effectors, store_effector_setting
from ..setup.limits import limit_kind, store_limit
from ..setup.made import is_made, note_made
from ..setup.tips import Point, tips_of_legs
from ..setup.twists import body_twists, has_twist, store_twist
from .first_bone import first_bone
from .goals import RoleGoal
from .limb_axes import limb_axes
from .preset import Preset, RoleEffector


@dataclass(frozen=True)
class Plan:
    """What an armature of a ``kind`` gets, by bone.

    - ``roles``: the bone of each role to which the preset gives an effector; nothing where there is no such
      bone
    - ``effectors``, ``stiffness``, ``limits``, ``comforts``, ``twists``; ``speeds`` in radians a second
    - ``tips``: the offsets of effectors that are not at heads
    - ``root``: what the preset says of the root; ``first``: the bone at which the body begins where others
      carry it, or nothing
    - ``goals``: those whose bones there are
    - ``astray``: bones without a limit, as they do not lie at rest as such joints do
    - ``lacks``: why joints have no comfort, or nothing
    - ``unread``: why limits take nothing from the armature's action, or nothing
    """

    kind: str
    roles: Mapping[str, str]
    effectors: Mapping[str, RoleEffector]
    stiffness: Mapping[str, float]
    speeds: Mapping[str, float]
    limits: Mapping[str, Limit]
    comforts: Mapping[str, Comfort]
    twists: Mapping[str, TwistShare]
    tips: Mapping[str, Point]
    root: str
    first: str = ""
    astray: tuple[str, ...] = ()
    lacks: str = ""
    unread: str = ""
    goals: tuple[RoleGoal, ...] = ()

    def store(self, ob: Object, anew: bool = False) -> list[str]:
        """Store it on the armature; return the bones that keep what the user has set.

        ``anew``: what the preset says of effectors, stiffness and speeds takes the place of what is there.
        """
        ob.superpose.made_as = self.kind
        kept = self._store_effectors(ob, anew)
        for what, values in (
            ('STIFFNESS', self.stiffness),
            ('LIMIT', self.limits),
            ('COMFORT', self.comforts),
            ('TWIST', self.twists),
            ('SPEED', self.speeds),
        ):
            is_there, write = _SETTINGS[what]
            for name, value in values.items():
                bone = ob.pose.bones[name]
                if not is_there(bone) or (anew and what in _SAID_OF_BONES):
                    write(bone, value)
                    note_made(bone, what)
                elif not is_made(bone, what):
                    kept.append(name)
        return list(dict.fromkeys(kept))

    def _store_effectors(self, ob: Object, anew: bool) -> list[str]:
        if not ob.superpose.is_property_set("root_location"):
            ob.superpose.root_location = self.root
        if self.first and not ob.superpose.root_bone:
            ob.superpose.root_bone = self.first
            note_made(ob.pose.bones[self.first], 'ROOT')
        kept = []
        role_of = {bone: role for role, bone in self.roles.items()}
        for name, effector in self.effectors.items():
            bone = ob.pose.bones[name]
            is_there = is_effector(bone)
            if not is_there:
                make_effectors(ob, [bone])
                note_made(bone, 'EFFECTOR')
            if is_made(bone, 'EFFECTOR'):
                bone.superpose.made_as = role_of[name]
            elif not anew:
                kept.append(name)
            if anew or not is_there:
                self._store_effector(bone, effector)
        return kept

    def _store_effector(self, bone: PoseBone, effector: RoleEffector) -> None:
        for field, value in asdict(effector).items():
            store_effector_setting(bone, field, value)
        if bone.name in self.tips:
            setattr(bone, OFFSET, self.tips[bone.name])


# Of Rigify's controls those that follow their targets, all in one solve.
_CONTROLS = ("torso", "hand_ik.L", "hand_ik.R", "foot_ik.L", "foot_ik.R")


def _has(name: str) -> Callable[[PoseBone], bool]:
    """Return what says whether a bone has a setting; asking stores nothing."""
    return lambda bone: bone.is_property_set("superpose") and bone.superpose.is_property_set(name)


def _store(name: str) -> Callable[[PoseBone, float], None]:
    """Return what gives a bone a setting."""
    return lambda bone, value: setattr(bone.superpose, name, value)


# What files say with numbers for bones.
_SAID_OF_BONES = ('STIFFNESS', 'SPEED')
# Of each thing that is made of a joint, whether a bone has it, and how it gets it.
_SETTINGS = {
    'STIFFNESS': (_has("stiffness"), _store("stiffness")),
    'SPEED': (_has("turn_speed"), _store("turn_speed")),
    'LIMIT': (lambda bone: limit_kind(bone) != 'NONE', store_limit),
    'COMFORT': (lambda bone: read_comfort(bone) is not None, store_comfort),
    'TWIST': (has_twist, store_twist),
}


def plan_for(ob: Object, body: Body, preset: Preset, context: Context | None = None) -> Plan:
    """Return what the preset means for the armature object, which is the body.

    Given a ``context`` hinges have as much play as the armature's action uses. Raises RigError naming the
    bone that has two roles or that something else places.
    """
    roles = {name: body.bone(name) for name in preset.effectors}
    effectors = {name: bone for name, bone in roles.items() if bone}
    goals = tuple(goal for goal in preset.goals if all(map(body.bone, goal.bones.values())))
    _check(ob, effectors, goals)
    tips = tips_of_legs(ob, body)
    limits, astray, unread = _limits(ob, body, tips, context) if preset.limits else ({}, (), "")
    comforts, lacks = _comforts(ob, body, tips) if preset.comfort else ({}, "")
    asked = {bone: _in_own_axes(ob, body, bone, preset.effectors[name]) for name, bone in effectors.items()}
    twists = _twists(ob, body) if preset.twists else {}
    stiffness = _shared_out(body, preset.stiffness)
    speeds = {bone: radians(speed) for bone, speed in _shared_out(body, preset.speeds).items()}
    asked |= {bone: replace(asked[bone], rotation_weight=0.0) for bone in asked.keys() & tips.keys()}
    made = asked, stiffness, speeds, limits, comforts, twists, tips
    root = preset.root if _are_pinned(asked) or not _are_pinned(preset.effectors) else "ANCHORED"
    return Plan(body.kind, roles, *made, root, first_bone(ob, body), astray, lacks, unread, goals)


def _are_pinned(effectors: Mapping[str, RoleEffector]) -> bool:
    """Return whether any are: a body without its feet, as a bust is, would come along with its hands."""
    return any(effector.hold == 'PINNED' for effector in effectors.values())


def _in_own_axes(ob: Object, body: Body, bone: str, effector: RoleEffector) -> RoleEffector:
    """Return the effector with the axes of its rotation from its limb's order to its bone's."""
    of_limb = dict(zip(limb_axes(ob, body, bone), effector.rotation_axes, strict=True))
    return replace(effector, rotation_axes=tuple(of_limb[axis] for axis in range(3)))


def what_places(ob: Object, bones: Iterable[str]) -> str:
    """Say that constraints or drivers place one of the bones, and what is possible then; else nothing."""
    blocked = obstacles(ob)
    placed = next((bone for bone in bones if bone in blocked), None)
    if placed is None:
        return ""
    known = [name for name in _CONTROLS if name in ob.pose.bones and name not in blocked]
    such_as = f", such as {', '.join(known)}," if known else ""
    return (
        "Press Make Body, under Whole Body > Controls, to pose the joints: "
        f"the body of '{ob.name}' follows controls ({blocked[placed]} places '{placed}'). "
        f"Or select those that you move by hand{such_as} and press Add Effectors"
    )


def _check(ob: Object, effectors: Mapping[str, str], goals: tuple[RoleGoal, ...]) -> None:
    """Raise RigError where the bones of effectors, by role, cannot be those."""
    if not (effectors or goals):
        raise RigError(
            f"No bone of '{ob.name}' has a role that can hold the body: select bones and press Add Effectors"
        )
    role_of: dict[str, str] = {}
    for name, bone in effectors.items():
        if bone not in ob.pose.bones:
            raise RigError(f"'{ob.name}' has no bone '{bone}' to be {said(name)}")
        if bone in role_of:
            raise RigError(f"Bone '{bone}' cannot be both {said(role_of[bone])} and {said(name)}")
        role_of[bone] = name
    why = what_places(ob, role_of)
    if why:
        raise RigError(why)


def _shared_out(body: Body, said: Mapping[str, tuple[float, ...]]) -> dict[str, float]:
    """Return what is said of parts for every bone of them, each shared out evenly."""
    found = {}
    for name, values in said.items():
        part, _, side = name.partition(".")
        bones = body.bones(part, side)
        for place, bone in enumerate(bones):
            found[bone] = values[place * len(values) // len(bones)]
    return found


def _limits(
    ob: Object, body: Body, tips: Mapping[str, Point], context: Context | None
) -> tuple[dict[str, Limit], tuple[str, ...], str]:
    """Return the limits of the joints by bone, and the bones whose rest pose does not fit such joints.

    And why the action cannot be read to which the limits are fitted, or nothing.
    """
    anatomy = anatomy_of(ob, body, tips)
    if why_unknown(ob.name, anatomy):
        return {}, (), ""  # what joints of other bodies may do is not known
    joints = {ob.data.bones[name]: joint for name, joint in anatomy.joints.items()}
    limits, astray = limits_of_joints(anatomy, joints, anatomy.joints)
    unread = ""
    if context:
        try:
            limits = fitted(context, ob, limits, anatomy.joints)
        except RigError as error:
            unread = f"limits are not adapted to the action: {error}"
    return {limit.bone: limit for limit in limits}, tuple(astray), unread


def _twists(ob: Object, body: Body) -> dict[str, TwistShare]:
    """Return the shares of twist by bone, but for bones that something else turns already."""
    blocked = obstacles(ob)
    return {name: twist for name, twist in body_twists(ob, body).items() if name not in blocked}


def _comforts(ob: Object, body: Body, tips: Mapping[str, Point]) -> tuple[dict[str, Comfort], str]:
    """Return the comfort of a human's joints by bone, and why there is none where a human lacks for it."""
    try:
        return body_comforts(ob, body, tips), ""
    except RigError as lack:
        return {}, str(lack)
