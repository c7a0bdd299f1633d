# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which part effectors take: they are met for sure, as far as others let them, or not at all.

If some targets are animated, the others stand in all frames where the last drag has left them. If these were
made for the armature, the user has not asked for them in any frame. So a free effector goes with the body
there, and one that follows gives way. Without any animation there is one pose, and each target is asked for
where it stands.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Literal

from bpy.types import Object, PoseBone, PropertyGroup

from ...solvers import Effector
from ..fcurves.paths import paths_of_goal
from ..setup.effectors import OFFSET, WEIGHTS, effectors_of, is_effector
from ..setup.empties import made_for
from ..setup.ranks import FOLLOWING, SHOULD
from .movers import animated_paths, may_move

# ASKED: missed where it is not met. FOLLOWS: gives way to those. ALONG: goes with the body, wherever that is.
Part = Literal['ASKED', 'FOLLOWS', 'ALONG']
_UNKEYED: dict[str, Part] = {'PINNED': 'ASKED', 'FOLLOWS': 'FOLLOWS', 'FREE': 'ALONG'}


def parts_of(
    ob: Object, bones: Sequence[PoseBone], goals: Sequence[PropertyGroup], held: Collection[object]
) -> tuple[Part, ...]:
    """Return the part that each effector's bone takes in solves and in frames; all are asked for beside
    bones that the user has ``held``.
    """
    animated = [] if held else are_animated(ob, bones, goals)
    if not any(animated):
        return ('ASKED',) * len(bones)
    return tuple(
        'ASKED' if moves or _has_users_target(ob, bone) else _UNKEYED[bone.superpose.hold]
        for bone, moves in zip(bones, animated, strict=False)
    )


def bones_along(ob: Object) -> set[str]:
    """Return the names of the effectors' bones that go with the body while nothing is held."""
    bones = [bone for bone in effectors_of(ob) if bone.superpose.enabled]
    parts = parts_of(ob, bones, [goal for goal in ob.superpose.goals if goal.enabled], ())
    return {bone.name for bone, part in zip(bones, parts, strict=True) if part == 'ALONG'}


def as_asked(effector: Effector, part: Part) -> Effector:
    """Return the effector as its part asks for it."""
    if part == 'ALONG':
        return replace(effector, position_weight=0.0, rotation_weight=0.0)
    if part == 'FOLLOWS':
        ranks = {"rank": effector.rank, "rotation_rank": effector.rotation_rank}
        return replace(
            effector, **{name: FOLLOWING if rank == SHOULD else rank for name, rank in ranks.items()}
        )
    return effector


def without_part(bones: Sequence[PoseBone], parts: Sequence[Part]) -> list[str]:
    """Return a note on the bones that take no part, if there are any."""
    names = [f"'{bone.name}'" for bone, part in zip(bones, parts, strict=True) if part == 'ALONG']
    if not names:
        return []
    one = "goes" if len(names) == 1 else "go"
    return [f"{', '.join(names)} {one} with the body: Free, and without keys, which other targets have"]


def are_animated(ob: Object, bones: Sequence[PoseBone], goals: Sequence[PropertyGroup]) -> list[bool]:
    """Return of which effectors, and then other goals, frames may move the target or change a setting."""
    paths = animated_paths(ob.animation_data)
    counted = [
        {bone.path_from_id(name) for name in ("superpose_influence", *WEIGHTS, OFFSET)} for bone in bones
    ]
    counted += [paths_of_goal(goal) for goal in goals]
    # Merely reading the settings of a bone that has none would store them.
    asked = [*(bone.superpose if is_effector(bone) else None for bone in bones), *goals]
    return [
        not paths.isdisjoint(own) or bool(of and of.target and may_move(of.target, bool(of.target_bone), ob))
        for own, of in zip(counted, asked, strict=True)
    ]


def _has_users_target(ob: Object, bone: PoseBone) -> bool:
    """Return whether the effector has a target that was not made for the armature."""
    target = bone.superpose.target
    return target is not None and made_for(target) != ob
