# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What bakes have left: frames that are asked for the same, of a body that is as far off as it was left.

Such frames are not solved again. A bake draws what it finds to the poses that are keyed; so each bake would
change the motion.
"""

import json
from collections.abc import Iterable, Sequence
from hashlib import sha256

import numpy as np
from bpy.types import Object

from ...solvers import Settings
from ...solvers.geometry import Array, Mask
from ..frames.frame_snapshot import FrameSnapshot
from ..problem.wanted import wanted_in
from ..rig.rig import Rig

# How much farther off a body may be, characteristic lengths: less than can be seen, more than keys round off.
# And where keys were reduced since.
_ALIKE, _REDUCED = 1e-4, 5e-3


def asked_in(
    rig: Rig, frames: Sequence[FrameSnapshot], settings: Settings, marks: Mask, how: tuple[object, ...]
) -> list[str]:
    """Return what is asked in each frame, with ``marks`` (frames, ...), of a bake done so, as digests."""
    terms = repr((rig.parts, *how)).encode()
    wanted = wanted_in(rig, frames, settings)
    return [
        sha256(terms + one.digest.encode() + own.tobytes()).hexdigest()[:16]
        for one, own in zip(wanted, marks, strict=True)
    ]


def left_by_bakes(ob: Object, numbers: Iterable[int], asked: Sequence[str], off: Array) -> Mask:
    """Return which frames (frames,) are ``asked`` for what a bake left them for, of a body as far ``off``.

    In characteristic lengths.
    """
    before = _remembered(ob)
    told = [before.get(str(number), ("", 0.0, 0.0)) for number in numbers]
    same = np.array([was == now for (was, *_), now in zip(told, asked, strict=True)], dtype=bool)
    far, alike = np.array([numbers for _, *numbers in told]).reshape(-1, 2).T
    return same & (np.abs(off - far) < alike)


def remember_baked(ob: Object, numbers: Iterable[int], asked: Sequence[str], off: Array) -> None:
    """Remember what the scene's frames were ``asked`` for, and how far ``off`` the body was left there."""
    told = zip(numbers, asked, off.tolist(), strict=True)
    frames = {str(number): (digest, far, _ALIKE) for number, digest, far in told}
    ob.superpose.baked = json.dumps(_remembered(ob) | frames)


def remember_reduced(ob: Object, numbers: Iterable[int]) -> None:
    """Remember that fewer keys leave the body nearly as bakes did in the scene's frames."""
    remembered = _remembered(ob)
    for number in map(str, numbers):
        if number in remembered:
            remembered[number] = (*remembered[number][:2], _REDUCED)
    if remembered:
        ob.superpose.baked = json.dumps(remembered)


def _remembered(ob: Object) -> dict[str, tuple[str, float, float]]:
    text = ob.superpose.baked if ob.is_property_set("superpose") else ""
    return json.loads(text) if text else {}
