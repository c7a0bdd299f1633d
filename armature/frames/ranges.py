# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which frames are baked, what they look like, and the scene's present frame put back whatever happens."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal, TypeVar

import numpy as np
from bpy.types import Context, Object, Scene

from ..errors import RigError
from ..rig.rig import Rig
from .frame_snapshot import FrameSnapshot, evaluated_frame
from .simulated import simulated_from
from .standstill import check_driven, check_evaluated

T = TypeVar("T")
FrameRange = Literal['SCENE', 'PREVIEW', 'CUSTOM']


def frame_ends(scene: Scene, kind: FrameRange, start: int, end: int) -> tuple[int, int]:
    """Return the first and last frame of the scene's range, its preview range or ``start`` and ``end``.

    Raises RigError for a range that is reversed.
    """
    if kind == 'SCENE':
        start, end = scene.frame_start, scene.frame_end
    elif kind == 'PREVIEW':
        if not scene.use_preview_range:
            raise RigError("The scene has no preview range")
        start, end = scene.frame_preview_start, scene.frame_preview_end
    if end < start:
        raise RigError(f"The frame range ends ({end}) before it starts ({start})")
    return start, end


def frame_numbers(scene: Scene, kind: FrameRange, start: int = 1, end: int = 1, step: int = 1) -> list[int]:
    """Return the frames of the scene's range, its preview range or from ``start`` to ``end``.

    Raises RigError for a range that is reversed and for a step below 1.
    """
    start, end = frame_ends(scene, kind, start, end)
    if step < 1:
        raise RigError(f"The frame step is {step}; it must be 1 or more")
    return list(range(start, end + 1, step))


def animation_times(scene: Scene, numbers: Sequence[int]) -> list[float]:
    """Return when in F-curves the scene's frames are: time remapping stretches animation under them.

    To the bit as Blender, which counts in single precision.
    """
    length = np.float32(scene.render.frame_map_old) / np.float32(scene.render.frame_map_new)
    return [float(np.float32(number) * length) for number in numbers]


def frame_length(scene: Scene) -> float:
    """Return how long one of the scene's frames is in F-curves."""
    length: float = scene.render.frame_map_old / scene.render.frame_map_new
    return length


def frame_rate(scene: Scene, step: int = 1) -> float:
    """Return how many frames a second are read, of which every ``step``-th is."""
    return scene.render.fps / scene.render.fps_base / step


def read_frames(
    context: Context, rig: Rig, ob: Object, numbers: Sequence[int]
) -> Generator[int, None, list[FrameSnapshot]]:
    """Go to each frame and return what it looks like, giving how many are read; raises RigError."""
    frames, _ = yield from read_frames_with(context, rig, ob, numbers, lambda: None)
    return frames


def read_frames_with(
    context: Context, rig: Rig, ob: Object, numbers: Sequence[int], look: Callable[[], T]
) -> Generator[int, None, tuple[list[FrameSnapshot], list[T]]]:
    """Go to each frame, and call ``look`` in each; return the frames and what ``look`` returned in them.

    The frames go up. Gives how many are read. Raises RigError.
    """
    check_evaluated(rig, ob, context.view_layer)
    begin, asked = simulated_from(rig, ob, context.scene), set(numbers)
    frames, looks = [], []
    for number in numbers if begin is None else range(min(begin, numbers[0]), numbers[-1] + 1):
        context.scene.frame_set(number)
        if number in asked:
            frames.append(evaluated_frame(rig, ob, context.evaluated_depsgraph_get()))
            looks.append(look())
        yield len(frames)
    check_driven(rig, ob)
    return frames, looks


@contextmanager
def present_frame_kept(scene: Scene) -> Iterator[None]:
    """Put the scene back on its present frame and subframe at the end, also after an exception."""
    frame, subframe = present_time(scene)
    try:
        yield
    finally:
        scene.frame_set(frame, subframe=subframe)


def present_time(scene: Scene) -> tuple[int, float]:
    """Return the scene's present frame and subframe as ``frame_set`` takes them.

    Before frame 0 Blender has the frame after and a negative subframe, which ``frame_set`` takes for none.
    """
    frame, subframe = scene.frame_current, scene.frame_subframe
    return (frame - 1, subframe + 1) if subframe < 0 else (frame, subframe)
