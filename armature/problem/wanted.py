# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a body is asked for, to the bit.

Live posing, and bakes, need to know only whether it has changed.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from hashlib import sha256

import numpy as np

from ...solvers import Settings
from ..frames.frame_snapshot import FrameSnapshot
from ..rig.rig import Rig
from .varying import points_in, weights_in


@dataclass(frozen=True)
class Wanted:
    """``own``: rig, settings and values of goals, as a digest; ``terms``: these and what carries the roots;
    ``places``: where the targets of each effector, and then of each other goal, are.
    """

    own: bytes
    terms: bytes
    places: tuple[bytes, ...]

    @property
    def digest(self) -> str:
        """What tells requests apart: equal requests have equal digests, also in another session."""
        return sha256(b"".join((self.terms, *self.places))).hexdigest()

    def moved_since(self, earlier: "Wanted | None") -> frozenset[int]:
        """Return which effectors are asked to be elsewhere; all where the terms differ or none were."""
        every = frozenset(range(len(self.places)))
        if earlier is None or self.terms != earlier.terms:
            return every
        return self._moved_from(earlier)

    def is_edited_since(self, earlier: "Wanted") -> bool:
        """Return whether all is asked to be where it was, but by other terms."""
        if self.terms == earlier.terms or len(self.places) != len(earlier.places):
            return False
        return not self._moved_from(earlier)

    def is_carried_since(self, earlier: "Wanted") -> bool:
        """Return whether nothing but what carries the roots is elsewhere."""
        return (self.own, self.places) == (earlier.own, earlier.places) and self.terms != earlier.terms

    def _moved_from(self, earlier: "Wanted") -> frozenset[int]:
        pairs = enumerate(zip(self.places, earlier.places, strict=True))
        return frozenset(index for index, (now, before) in pairs if now != before)

    def is_again(self, earlier: "Wanted | None", carried: Set[int]) -> bool:
        """Return whether all is as it was, but for targets that were ``carried`` along."""
        if earlier is None or self.terms != earlier.terms:
            return False
        return carried >= self.moved_since(earlier)

    def aimed(self, frame: FrameSnapshot) -> "Wanted":
        """Return what is asked in a frame that differs from this one in nothing but where targets are."""
        return Wanted(self.own, self.terms, _places(frame))


def wanted_of(rig: Rig, frame: FrameSnapshot, settings: Settings) -> Wanted:
    """Return what is asked of the rig in the frame."""
    return _wanted(_own(rig, frame, settings), frame)


def wanted_in(rig: Rig, frames: Sequence[FrameSnapshot], settings: Settings) -> list[Wanted]:
    """Return what is asked of the rig in each frame of a clip, of which most have the same terms."""
    owns: dict[bytes, bytes] = {}
    found = []
    for frame in frames:
        values = frame.weights.tobytes() + frame.offsets.tobytes() + frame.goal_values.tobytes()
        if values not in owns:
            owns[values] = _own(rig, frame, settings)
        found.append(_wanted(owns[values], frame))
    return found


def _wanted(own: bytes, frame: FrameSnapshot) -> Wanted:
    return Wanted(own, sha256(own + frame.carriers.tobytes()).digest(), _places(frame))


def _own(rig: Rig, frame: FrameSnapshot, settings: Settings) -> bytes:
    # What keys make of it is no edit, nor is another name: that of a bone counts as its row.
    unnamed = {"keyed": frozenset(), "sizers": (), "notes": (), "object_name": "", "targets": ()}
    unnamed["joints"] = tuple(replace(joint, notes=()) for joint in rig.joints)
    unnamed["goals"] = tuple(replace(goal, words="") for goal in rig.goals)
    listed = replace(_as_in(rig.as_listed, frame), **unnamed)
    return sha256(_plain((listed, settings, frame.goal_values), rig.rows_by_name)).digest()


def _as_in(rig: Rig, frame: FrameSnapshot) -> Rig:
    """Return the rig in which effectors have the weights and offsets of the frame themselves."""
    if not rig.varying.any():
        return rig
    values = weights_in(rig, [frame])[0].tolist(), points_in(rig, [frame])[0].tolist()
    effectors = tuple(
        replace(one, position_weight=place, rotation_weight=turn, offset=tuple(offset))
        for one, (place, turn), offset in zip(rig.effectors, *values, strict=True)
    )
    return replace(rig, effectors=effectors, listed=effectors, varying=np.zeros_like(rig.varying))


def _places(frame: FrameSnapshot) -> tuple[bytes, ...]:
    armature = frame.armature_to_world.tobytes()
    asked = (frame.targets, frame.influences), (frame.goal_targets, frame.goal_influences)
    return tuple(
        b"".join((target.tobytes(), influence.tobytes(), armature))
        for places in asked
        for target, influence in zip(*places, strict=True)
    )


def _plain(value: object, rows: Mapping[str, int]) -> bytes:
    names = _field_names(type(value))
    if names:
        value = tuple(getattr(value, name) for name in names)
    if isinstance(value, tuple):
        return b"(" + b",".join(_plain(each, rows) for each in value) + b")"
    if isinstance(value, str):
        value = rows.get(value, value)
    return value.tobytes() if isinstance(value, np.ndarray) else repr(value).encode()


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()
