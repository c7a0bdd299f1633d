# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where pinned effectors stand between the keys that pose the body.

Blender blends channels from key to key, so a foot that two keys have in one place leaves it in between.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from bpy.types import FCurve, Object

from ...solvers.geometry import Array, matrix_to_quaternion, norm, quaternion_to_matrix, slerp
from ..fcurves.actions import curves_of, is_muted, plays_strips
from ..fcurves.generated import placed_times
from ..fcurves.keys import read_keys
from ..fcurves.paths import Curves, by_bone_and_property, is_transform, is_turn
from ..frames.frame_snapshot import VISIBLE_DISTANCE, FrameSnapshot, column, figure_extents
from ..joints.turns import rotation_path
from ..rig.mirrors import shown_from_solved
from ..rig.obstacles import obstacles
from ..rig.rig import Rig
from .own_targets import places_in_pose
from .spaces import mean_scale
from .stacking import Batch
from .targets import effector_signs
from .varying import points_in

_AT_KEY = 1e-3  # frames


@dataclass(frozen=True, eq=False)
class KeyedPins:
    """Where keys of the body hold its pinned effectors.

    - ``rig``: the bones, and ``curves``: what poses them
    - ``keys``: by the row of each pinned effector, when the body is keyed to it, in ascending order. These
      are the keys of its limb or, if that has none, of the next bone above that has some. Keys that a bake of
      pins has generated do not count.
    - ``hindrance``: what else moves the body. Then nothing is known of other frames than the present one, and
      no pin stands.
    """

    rig: Rig
    curves: Curves
    keys: dict[int, Sequence[float]]
    hindrance: str = ""

    def standing(self, frame: FrameSnapshot, time: float) -> dict[int, Array]:
        """Return where pins stand at this time in F-curves, target to world (4, 4), by the effector's row.

        Those stand that the key before and the key after have in one place, and feet on their soles whose
        balls they have in one place: these roll. They turn evenly from the one to the other. In the keys
        themselves the keys say where they are. ``frame``: the body at that time.
        """
        spans = {row: span for row, keys in self.keys.items() if (span := _between(keys, time))}
        ends = {end for span in spans.values() for end in span}
        places = {end: self._places(frame, end) for end in ends}
        still = VISIBLE_DISTANCE * figure_extents([frame])[0] * mean_scale(frame.armature_to_world)
        found, balls = {}, self._balls(frame)
        for row, (before, after) in spans.items():
            begin, end = places[before][row], places[after][row]
            share = (time - before) / (after - before)
            for point in (np.zeros(3), balls.get(row, np.zeros(3))):
                if norm(_at(begin, point) - _at(end, point)) <= still:
                    found[row] = _on_the_way(begin, end, point, share)
                    break
        return found

    def is_keyed_as(self, frame: FrameSnapshot, time: float) -> bool:
        """Return whether keys pose what carries pins, and have the body as it is in the frame at its time."""
        return bool(self.keys) and self._keyed(frame, time).has_pose_of(frame)

    def limbs_between(self, frame: FrameSnapshot, time: float) -> dict[str, tuple[float, float]]:
        """Return the keys of a limb before and after a time, by the bones of limbs whose pins stand then."""
        found: dict[str, tuple[float, float]] = {}
        for row in self.standing(frame, time):
            span = _between(self.keys[row], time)
            found |= {self.rig.names[bone]: span for bone in self.rig.limb_of(row) if span}
        return found

    def _balls(self, frame: FrameSnapshot) -> dict[int, Array]:
        """Return the balls (3,) of feet that hold by their soles, in their targets' frames, scene units."""
        shown = shown_from_solved(effector_signs(self.rig, [frame]))[0]
        size, balls = mean_scale(frame.armature_to_world), {}
        own = points_in(self.rig, [frame])[0]
        for sole in self.rig.feet:
            row = self.rig.row_of(sole.foot)
            length = norm(column([frame], "matrices")[0, self.rig.places[row], :3, 1])
            balls[row] = size * shown[row] * (length * np.array(sole.ball) - own[row])
        return balls

    def _places(self, frame: FrameSnapshot, time: float) -> Array:
        """Return where effectors are keyed to be at another time, target to world (effectors, 4, 4)."""
        keyed = Batch(self.rig, [self._keyed(frame, time)])
        return places_in_pose(self.rig, frame, Batch(self.rig, [frame]).skeleton, keyed.pose)

    def _keyed(self, frame: FrameSnapshot, time: float) -> FrameSnapshot:
        """Return the frame with its bones turned and moved as they are keyed at another time."""
        rotations, locations = frame.rotations.copy(), frame.locations.copy()
        for bone, (name, mode) in enumerate(zip(self.rig.names, self.rig.modes, strict=True)):
            for path, values in ((rotation_path(mode), rotations), ("location", locations)):
                for curve in self.curves.get((name, path), ()):
                    if curve.array_index < values.shape[1]:  # others animate nothing
                        values[bone, curve.array_index] = np.float32(curve.evaluate(time))
        return replace(frame, rotations=rotations, locations=locations)


def keyed_pins(rig: Rig, ob: Object) -> KeyedPins:
    """Return the pins of the armature object and when keys pose them."""
    if 'PINNED' not in rig.holds or ob.animation_data is None:
        return KeyedPins(rig, {}, {})
    acting = (curve for curve in curves_of(ob.animation_data) if not is_muted(curve))
    curves = by_bone_and_property(acting)
    hindrance = _what_else_moves(rig, ob, curves)
    if hindrance:
        return KeyedPins(rig, {}, {}, hindrance)
    pins = (row for row, hold in enumerate(rig.holds) if hold == 'PINNED')
    keys = {row: _keys_of(rig, row, curves) for row in pins}
    return KeyedPins(rig, curves, {row: times for row, times in keys.items() if times})


def _keys_of(rig: Rig, row: int, curves: Curves) -> list[float]:
    """Return when the effector's limb is keyed or, where it is not, the next bone above that is."""
    limb = rig.limb_of(row)
    above = rig.way_up(limb[-1])[1:]
    for bones in (limb, *([bone] for bone in above)):
        channels = ((bone, path) for bone in bones for path in (rotation_path(rig.modes[bone]), "location"))
        own = [curve for bone, path in channels for curve in curves.get((rig.names[bone], path), ())]
        times = {float(time) for curve in own for time in placed_times(curve)}
        if times:
            return sorted(times)
    return []


def _between(keys: Sequence[float], time: float) -> tuple[float, float] | None:
    """Return the key before and the key after, or None in a key and outside of all."""
    before, after = bisect_left(keys, time - _AT_KEY), bisect_right(keys, time + _AT_KEY)
    return (keys[before - 1], keys[after]) if before == after and 0 < after < len(keys) else None


def _on_the_way(begin: Array, end: Array, point: Array, share: float) -> Array:
    """Return the place (4, 4) so far from begin to end that turns about a ``point`` (3,) in its own frame."""
    place, held = np.eye(4), _at(begin, point) + share * (_at(end, point) - _at(begin, point))
    turns = (matrix_to_quaternion(matrix[:3, :3]) for matrix in (begin, end))
    place[:3, :3] = quaternion_to_matrix(slerp(*turns, np.array(share)))
    place[:3, 3] = held - place[:3, :3] @ point
    return place


def _at(place: Array, point: Array) -> Array:
    return place[:3, 3] + place[:3, :3] @ point


def _changes(curve: FCurve) -> bool:
    """Return whether the curve is anything but level, as one is of a scale that is keyed with each pose."""
    heights = [places[:, 1] for places in read_keys(curve, ("co", "handle_left", "handle_right")).values()]
    has_keys = len(curve.keyframe_points) > 0
    return not has_keys or len(curve.modifiers) > 0 or bool(np.ptp(heights) > 0)


def _what_else_moves(rig: Rig, ob: Object, curves: Curves) -> str:
    """Return what else than keys of its solved bones moves the body or a part of it in the armature's own
    space, or nothing."""
    curves = {place: found for place, found in curves.items() if any(map(_changes, found))}
    if plays_strips(ob.animation_data):
        return "the NLA"
    roots = (ob.pose.bones[int(index)] for index in rig.carriers[rig.parents < 0] if index >= 0)
    above = {link.name for root in roots for link in (root, *root.parent_recursive)}
    for bone in sorted(obstacles(ob).keys() & (above | set(rig.names))):
        return f"what places bone '{bone}'"
    for bone, prop in curves:
        by_size = bone in rig.names and (prop == "scale" or prop == "rotation_mode")
        if by_size or (bone in above and (is_turn(prop) or is_transform(prop))):
            return f"the animated {prop} of bone '{bone}'"
    return ""
