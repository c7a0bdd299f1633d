# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The frames that a bake looks at, and which of them it bakes."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from math import ceil
from typing import NamedTuple

import numpy as np
from bpy.types import Context, Object

from ...armature import (
    FrameSnapshot,
    Rig,
    animation_times,
    frame_rate,
    keys_beside,
    read_frames,
    read_frames_with,
    settings_of,
    usable_frames,
)
from ...armature.limits.outside import first_outside, limits_beside, turns_of
from ...armature.recording.loops import AWAY, Loop, loop_of
from ...armature.recording.marks import CONTACTS, MASK, contacts_around, is_marked, marks_reader
from ...armature.recording.recording import posed_within
from ...solvers import Pose, Request
from ...solvers.clip import FRAMES_AROUND
from ...solvers.geometry import Array, Indices, Mask, matvec
from ...solvers.pauses import finished

# Contacts that are so many seconds away have a say in where a limb goes: about as long as a step takes.
# Frames that are so many away have one in how targets are cleaned: twice as many as bridges are learned from.
NEAR, RECORDED = 0.5, 10.0


@dataclass(frozen=True, eq=False)
class Take:
    """Frames in order that a bake looks at.

    - ``numbers``: in the scene
    - ``marks`` (frames, 3, effectors): masks, and contacts of heads and tips
    - ``inner``: the frames that are solved, and not only those of contacts that go on
    - ``own``: of these, the frames that are baked
    - ``loop``: how the clip goes round, if it does. The frames that are solved besides are other rounds then.
    - ``outside``: in which frame bones that are not solved are first outside their limits
    """

    numbers: Sequence[int]
    frames: Sequence[FrameSnapshot]
    marks: Mask
    inner: slice
    own: slice
    outside: dict[str, int]
    loop: Loop | None = None

    def in_loop(self, loop: Loop) -> "Take":
        """Return the frames that are baked, with other rounds of the loop that they are beside them."""
        numbers, frames, marks = self.numbers[self.inner], self.frames[self.inner], self.marks[self.inner]
        rows, rounds = loop.places(len(numbers))
        places = list(zip(rows.tolist(), rounds.tolist(), strict=True))
        own = slice(AWAY, AWAY + len(numbers))
        moved_on = [loop.moved_on(frames[row], turn) for row, turn in places]
        return replace(
            self,
            numbers=[numbers[row] for row in rows],
            frames=[*moved_on[: own.start], *frames, *moved_on[own.stop :]],
            marks=np.concatenate([marks[rows[: own.start]], marks, marks[rows[own.stop :]]]),
            inner=slice(0, len(rows)),
            own=own,
            loop=loop,
        )

    def solved(self) -> "Take":
        """Return the frames that are solved."""
        inner = self.inner
        parts = {name: getattr(self, name)[inner] for name in ("numbers", "frames", "marks")}
        return replace(self, **parts, inner=slice(0, inner.stop - inner.start))

    @property
    def count(self) -> int:
        """How many frames are solved, but for other rounds."""
        return len(self.beside) if self.loop is None else self.own.stop - self.own.start

    @property
    def beside(self) -> Mask:
        """Which of the frames that are solved (frames,) say how the body comes to those baked and goes on."""
        beside = np.full(self.inner.stop - self.inner.start, self.loop is None)
        beside[self.own] = False
        return beside

    @property
    def alike(self) -> Indices:
        """Which frame of the round that is baked each of those that are solved is, (frames,); else itself."""
        if self.loop is None:
            return np.arange(self.inner.stop - self.inner.start)
        return self.own.start + self._places(self.loop)[0]

    def moved_on(self, request: Request, pose: Pose) -> Pose:
        """Return the pose of the frames that are solved, with the body where it is in its round."""
        shifts = self.loop and self.loop.shifts(self._places(self.loop)[1])
        if shifts is None or not shifts.any():
            return pose
        return Pose(pose.rotations, pose.translations + matvec(request.skeleton.freedom, shifts[:, None]))

    def _places(self, loop: Loop) -> tuple[Indices, Indices]:
        """Return what the loop says of which frames that are baked are solved, and in which round."""
        return loop.places(self.count)


class Wide(NamedTuple):
    """The ``numbers`` of frames that a bake looks at; ``inner``: of these, those that are solved, and ``own``
    of those, those that are baked. ``may_loop``: nothing beside them says how the body comes there.
    """

    numbers: list[int]
    inner: slice
    own: slice
    may_loop: bool


def wide_of(
    context: Context,
    ob: Object,
    rig: Rig,
    numbers: list[int],
    step: int,
    is_one_motion: bool,
    is_cleaned: bool,
) -> Wide:
    """Return which frames a bake of these, so many apart, looks at; of targets that are cleaned or not."""
    around, own = numbers, slice(0, len(numbers))
    if is_one_motion and rig.is_keyed:
        around, own = _around(context, ob, rig, numbers, step)
    is_cleaned |= any(is_marked(bone, MASK) for bone in rig.effector_bones(ob))
    wide, inner = _with_recorded(context, ob, rig, around, step, is_cleaned)
    return Wide(wide, inner, own, is_one_motion and len(around) == len(numbers))


def take_of(
    context: Context, ob: Object, rig: Rig, numbers: list[int], step: int, wide: Wide
) -> Generator[int, None, Take]:
    """Return what a bake of these frames, so many apart, looks at, giving how many are read."""
    inner, own = wide.inner, wide.own
    frames, outside, marks = yield from _read(context, ob, rig, wide.numbers, numbers)
    take = Take(wide.numbers, posed_within(frames, inner), marks, inner, own, outside)
    if not wide.may_loop:
        return take
    next_one = usable_frames(context, rig, ob, [numbers[-1] + step], settings_of(ob))
    after = next(iter(finished(read_frames(context, rig, ob, next_one))), None)
    loop = loop_of(rig, take.frames[inner], after)
    return take.in_loop(loop) if loop else take


def _around(context: Context, ob: Object, rig: Rig, numbers: list[int], step: int) -> tuple[list[int], slice]:
    """Return the frames with those that lead to them and from them, and which of all are baked.

    They lead there if keys beside the range pose the body. They go as far as the last of these keys, as goals
    that give way gradually are felt, and as frames can be used.
    """
    away = [step * count for count in range(1, FRAMES_AROUND + 1)]
    wide = [*(numbers[0] - far for far in away[::-1]), *numbers, *(numbers[-1] + far for far in away)]
    before, after = keys_beside(ob, rig, animation_times(context.scene, wide))
    leads, trails = before[1 : len(away) + 1][::-1], after[-len(away) - 1 : -1]
    ways = list(compress(wide[: len(away)][::-1], leads)), list(compress(wide[-len(away) :], trails))
    lead, trail = (usable_frames(context, rig, ob, way, settings_of(ob)) for way in ways)
    return [*reversed(lead), *numbers, *trail], slice(len(lead), len(lead) + len(numbers))


def _with_recorded(
    context: Context, ob: Object, rig: Rig, around: list[int], step: int, is_cleaned: bool
) -> tuple[list[int], slice]:
    """Return the frames with those beside them that count for what is asked, and which of all they are.

    So a contact is held in one place, and a target is cleaned in one way, whichever part of it is baked.
    """
    scene, rate = context.scene, frame_rate(context.scene)
    first, last = contacts_around(scene, rig.effector_bones(ob), around[0], around[-1], NEAR * rate)
    if is_cleaned:
        far = ceil(RECORDED * rate)
        first = min(first, max(first - far, scene.frame_start))
        last = max(last, min(last + far, scene.frame_end))
    before = range(around[0] - step, first - 1, -step)[::-1]
    wide = [*before, *around, *range(around[-1] + step, last + 1, step)]
    return wide, slice(len(before), len(before) + len(around))


def _read(
    context: Context, ob: Object, rig: Rig, wide: list[int], numbers: list[int]
) -> Generator[int, None, tuple[list[FrameSnapshot], dict[str, int], Mask]]:
    """Read the frames ``wide``; return them, where bones that are not solved are first outside their limits
    in the ``numbers`` among them, and marks."""
    limits, impossible = limits_beside(ob, set(compress(rig.names, rig.turning)))
    marked = marks_reader(ob, rig, (MASK, *CONTACTS))

    def look() -> tuple[list[list[bool]], Array | None]:
        return marked(), turns_of(ob, limits) if limits else None

    frames, looks = yield from read_frames_with(context, rig, ob, wide, look)
    marks, turns = zip(*looks, strict=True)
    rows, begin = dict.fromkeys(sorted(impossible), 0), wide.index(numbers[0])
    if limits:
        rows |= first_outside(limits, np.array(turns[begin : begin + len(numbers)]))
    outside = {bone: numbers[row] for row, bone in sorted((row, bone) for bone, row in rows.items())}
    return frames, outside, np.array(marks, bool)
