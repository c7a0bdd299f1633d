# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which frames are baked, and the scene's present frame put back whatever happens."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from bpy.types import Scene

from .errors import RigError

FrameRange = Literal['SCENE', 'PREVIEW', 'CUSTOM']


def frame_numbers(scene: Scene, kind: FrameRange, start: int = 1, end: int = 1, step: int = 1) -> list[int]:
    """Return the frames of the scene's range, its preview range or from ``start`` to ``end``.

    Raises RigError for a range that is reversed and for a step below 1.
    """
    if kind == 'SCENE':
        start, end = scene.frame_start, scene.frame_end
    elif kind == 'PREVIEW':
        if not scene.use_preview_range:
            raise RigError("The scene has no preview range")
        start, end = scene.frame_preview_start, scene.frame_preview_end
    if end < start:
        raise RigError(f"The frame range ends ({end}) before it starts ({start})")
    if step < 1:
        raise RigError(f"The frame step is {step}; it must be 1 or more")
    return list(range(start, end + 1, step))


@contextmanager
def present_frame_kept(scene: Scene) -> Iterator[None]:
    """Put the scene back on its present frame and subframe at the end, also after an exception."""
    frame, subframe = scene.frame_current, scene.frame_subframe
    try:
        yield
    finally:
        scene.frame_set(frame, subframe=subframe)
