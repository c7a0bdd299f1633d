# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether anything but its own still channels may place an object: only what acts counts.

Blender leaves an empty action where the last key was deleted, and keys on other properties move nothing.
"""

from collections.abc import Iterable, Iterator

from bpy.types import AnimData, Constraint, FCurve, NlaStrip, Object

from ..fcurves.actions import curves_of, curves_of_strip, drivers_of
from ..fcurves.paths import bone_and_property, is_transform, is_turn


def may_move(thing: Object, by_bone: bool, ob: Object | None) -> bool:
    """Return whether anything but its own still channels, or the armature ``ob``, may place the object."""
    if thing == ob:
        return False
    paths = animated_paths(thing.animation_data)
    if by_bone or thing.rigid_body or any(map(_places, paths)):
        return True
    if any(_may_act(constraint, paths) for constraint in thing.constraints):
        return True
    return may_be_carried(thing, ob)


def may_be_carried(thing: Object, ob: Object | None = None) -> bool:
    """Return whether the object has a parent that may move it, other than the armature ``ob``."""
    parent = thing.parent
    if parent is None:
        return False
    # Children of curves may follow their path, and vertices their mesh.
    follows_shape = parent.type == 'CURVE' or thing.parent_type.startswith('VERTEX')
    is_shaped = follows_shape and _may_change_shape(parent, ob)
    return may_move(parent, thing.parent_type == 'BONE' or is_shaped, ob)


def _may_change_shape(thing: Object, ob: Object | None) -> bool:
    """Return whether animation, its own or that of what deforms it but for ``ob``, may shape the object."""
    deformers = {getattr(modifier, "object", None) for modifier in thing.modifiers} - {None, ob}
    owners = [thing, thing.data, getattr(thing.data, "shape_keys", None), *deformers]
    is_animated = any(owner and animated_paths(owner.animation_data) for owner in owners)
    return is_animated or any(may_move(deformer, False, ob) for deformer in deformers)


def animated_paths(animation: AnimData | None) -> set[str]:
    """Return the data paths of what the action, drivers or NLA strips change of their owner."""
    if animation is None:
        return set()
    tracks = animation.nla_tracks if animation.use_nla else ()
    strips = (strip for track in tracks if not track.mute for strip in track.strips)
    curves = [*curves_of(animation), *_curves_of_strips(strips)]
    paths = {curve.data_path for curve in curves if not curve.mute and _has_course(curve)}
    return paths | {curve.data_path for curve in drivers_of(animation)}


def keyed_turns(paths: Iterable[str]) -> frozenset[str]:
    """Return the names of the bones that are turned by what is animated of their armature, ``paths``."""
    parts = map(bone_and_property, paths)
    return frozenset(bone for bone, prop in parts if bone and is_turn(prop))


def _curves_of_strips(strips: Iterable[NlaStrip]) -> Iterator[FCurve]:
    for strip in strips:
        if strip.mute:
            continue
        yield from _curves_of_strips(strip.strips)  # of a meta strip
        yield from curves_of_strip(strip)


def _has_course(curve: FCurve) -> bool:
    """Return whether there is anything of the curve: keys, samples, or modifiers that make it."""
    return any(map(len, (curve.keyframe_points, curve.sampled_points, curve.modifiers)))


def _places(path: str) -> bool:
    return is_transform(path) or is_turn(path)


def _may_act(constraint: Constraint, paths: set[str]) -> bool:
    """Return whether the constraint acts, or may be switched on in another frame."""
    return all(
        is_on or constraint.path_from_id(name) in paths
        for name, is_on in (("mute", not constraint.mute), ("influence", constraint.influence > 0))
    )
