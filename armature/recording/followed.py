# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded targets as a bake follows them: what is bridged, what is followed in spite of doubts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Object

from ...solvers.geometry import Mask
from ..frames.frame_snapshot import FrameSnapshot
from .marks import MASK, is_marked
from .recording import Recording


@dataclass(frozen=True, eq=False)
class Followed:
    """The ``frames`` of a clip with targets as they are to be followed.

    ``masked`` and ``doubted`` (frames, effectors, 2): places and rotations that are bridged, and those that
    are not although they are not to be believed. ``exchanged`` (frames, effectors): targets that are put
    right where they were taken for each other.
    """

    frames: Sequence[FrameSnapshot]
    masked: Mask
    doubted: Mask
    exchanged: Mask

    def rows(self, keep: slice) -> "Followed":
        """Return those of the frames ``keep``."""
        return Followed(self.frames[keep], self.masked[keep], self.doubted[keep], self.exchanged[keep])


def followed(ob: Object, recording: Recording, marks: Mask, is_cleaned: bool) -> Followed:
    """Return how targets are to be followed.

    ``marks`` (frames, effectors): which are not to be believed, for armatures that have any marks; for others
    that is found. ``is_cleaned``: doubtful targets are bridged, and their noise is taken out.
    """
    marks = np.repeat(marks[..., None], 2, axis=-1)
    is_decided = any(is_marked(bone, MASK) for bone in recording.rig.effector_bones(ob))
    exchanged, right = recording.exchanged & is_cleaned, recording.righted()
    left = (recording.exchanged & ~exchanged)[..., None]
    doubts = marks if is_decided else right.doubts() | left
    recording = right if is_cleaned else recording
    masked = recording.broken | (doubts if is_cleaned else marks)
    is_nowhere = recording.broken.all(axis=0).any()  # which is refused by name
    if is_nowhere or not (is_cleaned or masked.any()):
        return Followed(list(recording.frames), np.zeros_like(masked), doubts, exchanged)
    frames = recording.cleaned(masked, keeps_noise=not is_cleaned)
    return Followed(frames, masked, doubts & ~masked, exchanged)
