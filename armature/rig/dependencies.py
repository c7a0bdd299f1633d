# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a target is carried by the bones that should follow it."""

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache

from bpy.types import ID, Constraint, ConstraintTarget, Object

from ..fcurves.actions import drivers_of
from ..fcurves.paths import bone_and_property, is_turn
from .obstacles import is_active, placed_by

Source = tuple[Object, str]  # an object as a whole (empty string), or one of its bones


def first_moved(target: Object, bone: str, ob: Object, moved: frozenset[str]) -> str | None:
    """Return the first of the ``moved`` bones of ``ob`` that the target is or depends on, or None.

    Follows parents, constraints, drivers that read transforms or channels, and meshes that armatures deform.
    """
    behind = _all_sources([(target, bone)])
    return next((name for source, name in behind if source == ob and name in moved), None)


def all_behind(target: Object, bone: str) -> Iterator[Source]:
    """Yield the target and all that it depends on, each once."""
    return _all_sources([(target, bone)])


def bones_behind(ob: Object, bones: Iterable[str], animated: Collection[str] = ()) -> dict[str, set[str]]:
    """Return for each of the bones the bones of the armature object that it is or depends on.

    Constraints that do nothing now count where how much they do, a data path, is among the ``animated``.
    """
    solved = _solved_above(ob, animated)
    sources = cache(
        lambda source: (*_sources(*source, animated), *(solved.get(source[1], ()) if source[0] == ob else ()))
    )
    return {
        bone: {name for other, name in _all_sources([(ob, bone)], sources) if other == ob and name}
        for bone in bones
    }


def armatures_behind(ob: Object, bones: Iterable[str]) -> set[Object]:
    """Return the other armature objects that any of the bones depends on."""
    behind = {other for other, _ in _all_sources([(ob, bone) for bone in bones])}
    return {other for other in behind if other.type == 'ARMATURE' and other != ob}


def _solved_above(ob: Object, animated: Collection[str]) -> dict[str, list[Source]]:
    """Return for bones that inverse kinematics of bones below them places those bones."""
    found: dict[str, list[Source]] = {}
    for bone in ob.pose.bones:
        for constraint in bone.constraints:
            if _counts(constraint, animated):
                for name in placed_by(bone, constraint):
                    found.setdefault(name, []).append((ob, bone.name))
    return found


def switched_on(ob: Object) -> tuple[bool, ...]:
    """Return which constraints of the armature object's bones, and targets of them, do anything now."""
    found = []
    for bone in ob.pose.bones:
        for constraint in bone.constraints:
            found.append(is_active(constraint))
            found += [target.weight > 0 for target in getattr(constraint, "targets", ())]
    return tuple(found)


def _all_sources(
    waiting: list[Source], sources: Callable[[Source], Iterable[Source]] = lambda source: _sources(*source)
) -> Iterator[Source]:
    """Yield what waits and all that it depends on, each once."""
    seen: set[Source] = set()
    while waiting:
        source = waiting.pop()
        if source not in seen:
            seen.add(source)
            yield source
            waiting += sources(source)


def _sources(ob: Object, bone: str, animated: Collection[str] = ()) -> Iterator[Source]:
    if not bone:
        yield from _sources_of_object(ob)
        return
    yield ob, ""
    pose_bone = ob.pose.bones.get(bone) if ob.pose else None
    if pose_bone is not None:
        yield from _constraint_sources(pose_bone.constraints, animated)
        yield from _driver_sources(ob, bone)
        if pose_bone.parent is not None:
            yield ob, pose_bone.parent.name


def _sources_of_object(ob: Object) -> Iterator[Source]:
    if ob.parent is not None:
        yield ob.parent, ob.parent_bone if ob.parent_type == 'BONE' else ""
        if ob.parent_type.startswith('VERTEX'):
            yield from _shape_sources(ob.parent)
    yield from _constraint_sources(ob.constraints)
    yield from _driver_sources(ob, "")


def _driver_sources(ob: Object, bone: str) -> Iterator[Source]:
    """Yield what the drivers of one bone read, or those of the object itself."""
    for curve in drivers_of(ob.animation_data):
        if bone_and_property(curve.data_path)[0] != bone:
            continue
        for target in (target for variable in curve.driver.variables for target in variable.targets):
            read, prop = bone_and_property(target.data_path)
            is_channel = is_turn(prop) or prop.startswith("location")
            yield from _source(target.id, target.bone_target or (read if is_channel else ""))


def _shape_sources(ob: Object) -> Iterator[Source]:
    """Yield the bones that may deform an object's shape, and what its hooks are on."""
    for modifier in ob.modifiers:
        if modifier.type == 'HOOK':
            yield from _source(modifier.object, modifier.subtarget)
        elif modifier.type == 'ARMATURE':
            for group in ob.vertex_groups:
                yield from _source(modifier.object, group.name)


def _constraint_sources(
    constraints: Iterable[Constraint], animated: Collection[str] = ()
) -> Iterator[Source]:
    for constraint in constraints:
        if not _counts(constraint, animated):
            continue
        for prefix in ("", "pole_"):
            ob, bone = (getattr(constraint, f"{prefix}{name}", None) for name in ("target", "subtarget"))
            yield from _source(ob, bone or "")
            if ob is not None and (constraint.type == 'SHRINKWRAP' or (bone and ob.type != 'ARMATURE')):
                yield from _shape_sources(ob)
        for target in getattr(constraint, "targets", ()):
            if target.weight > 0 or _may_change(target, "weight", animated):
                yield from _source(target.target, target.subtarget)


def _counts(constraint: Constraint, animated: Collection[str]) -> bool:
    return is_active(constraint) or _may_change(constraint, "influence", animated)


def _may_change(owner: Constraint | ConstraintTarget, name: str, animated: Collection[str]) -> bool:
    return bool(animated) and owner.path_from_id(name) in animated


def _source(ob: ID | None, bone: str) -> Iterator[Source]:
    if isinstance(ob, Object):
        yield ob, bone if ob.type == 'ARMATURE' else ""
