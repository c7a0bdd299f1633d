# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a target is carried by the bones that should follow it."""

from collections.abc import Iterator

from bpy.types import ID, Constraint, Object

from .obstacles import is_active

Source = tuple[Object, str]  # an object as a whole (empty string), or one of its bones


def first_moved(target: Object, bone: str, ob: Object, moved: frozenset[str]) -> str | None:
    """Return the first of the ``moved`` bones of ``ob`` that the target is or depends on, or None.

    Follows parents, constraints and drivers' transform variables.
    """
    seen: set[Source] = set()
    waiting: list[Source] = [(target, bone)]
    while waiting:
        source = waiting.pop()
        if source in seen:
            continue
        seen.add(source)
        if source[0] == ob and source[1] in moved:
            return source[1]
        waiting += _sources(*source)
    return None


def _sources(ob: Object, bone: str) -> Iterator[Source]:
    if not bone:
        yield from _sources_of_object(ob)
        return
    yield ob, ""
    pose_bone = ob.pose.bones.get(bone) if ob.pose else None
    if pose_bone is not None:
        yield from _constraint_sources(pose_bone.constraints)
        if pose_bone.parent is not None:
            yield ob, pose_bone.parent.name


def _sources_of_object(ob: Object) -> Iterator[Source]:
    if ob.parent is not None:
        yield ob.parent, ob.parent_bone if ob.parent_type == 'BONE' else ""
    yield from _constraint_sources(ob.constraints)
    for driver in ob.animation_data.drivers if ob.animation_data else ():
        for variable in driver.driver.variables:
            for target in variable.targets:
                yield from _source(target.id, target.bone_target)


def _constraint_sources(constraints: list[Constraint]) -> Iterator[Source]:
    for constraint in filter(is_active, constraints):
        for prefix in ("", "pole_"):
            ob, bone = (getattr(constraint, f"{prefix}{name}", None) for name in ("target", "subtarget"))
            yield from _source(ob, bone or "")
        for target in getattr(constraint, "targets", ()):
            if target.weight > 0:
                yield from _source(target.target, target.subtarget)


def _source(ob: ID | None, bone: str) -> Iterator[Source]:
    if isinstance(ob, Object):
        yield ob, bone if ob.type == 'ARMATURE' else ""
