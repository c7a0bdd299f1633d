# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How heavy the bones of a body are, and where on them that is.

Reference: de Leva 1996 (10.1016/0021-9290(95)00178-6), table 4, the mean of women and men.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from .body import Body
from .plans import HUMAN


@dataclass(frozen=True)
class Mass:
    """The ``share`` of a bone in the body's mass; ``along``: where on it that is, from 0, its head, to 1."""

    share: float
    along: float


# A part of one side, as a share of the body, and where its centre is, from the end nearer to the trunk. The
# head's goes with the neck and is told from the angle of the jaw; the hips' is the trunk below the navel,
# the spine's all of it above.
_SEGMENTS = {
    "head": Mass(0.0681, 0.4065),
    "spine": Mass(0.31195, 0.5),
    "hips": Mass(0.1182, 0.4483),
    "upper_arm": Mass(0.0263, 0.5763),
    "forearm": Mass(0.0150, 0.4567),
    "hand": Mass(0.00585, 0.7687),
    "thigh": Mass(0.1447, 0.3854),
    "shin": Mass(0.0457, 0.4438),
    "foot": Mass(0.0133, 0.4215),
}


def masses(body: Body, lengths: Mapping[str, float]) -> dict[str, Mass]:
    """Return the masses of bones of given ``lengths``, by name; their shares sum to one.

    A human's are those of its segments; where several bones are one segment, they share it by their
    lengths. Anything else is as heavy as it is large: a bone by the cube of its length, at its middle.
    """
    if body.kind == HUMAN and body.is_sure:
        found = _by_segments(body, lengths)
    else:
        found = {name: Mass(length**3, 0.5) for name, length in lengths.items()}
    total = sum(mass.share for mass in found.values())
    return {name: Mass(mass.share / total, mass.along) for name, mass in found.items() if mass.share > 0}


def _by_segments(body: Body, lengths: Mapping[str, float]) -> dict[str, Mass]:
    found = {}
    for part, segment in _SEGMENTS.items():
        for side in ("", "L", "R"):
            bones = [name for name in body.bones(part, side) if name in lengths]
            whole = sum(lengths[name] for name in bones)
            for name in bones:
                share = lengths[name] / whole if whole > 0 else 1 / len(bones)
                found[name] = Mass(segment.share * share, segment.along if len(bones) == 1 else 0.5)
    return found
