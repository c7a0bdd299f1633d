# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of robots: the link, or joint, and the axis that it turns about, as in "left_hip_roll_link".

Such words say nothing of the part of the body. Elsewhere they do: a bone that rolls takes a limb's twist.
"""

from collections.abc import Sequence

from .vocabulary import tokens
from .words import side_of

_AXES = {"pitch", "yaw"}  # what no other rig calls its bones by
_OF_LINKS = {*_AXES, "roll", "link", "joint"}
_FEWEST = 4  # names: two a side


def has_axes(names: Sequence[str]) -> bool:
    """Return whether it is a robot of two sides, each joint of which is a link for each of its axes."""
    spelt = [set(tokens(name)) for name in names]
    told = max(sum(bool(words & some) for words in spelt) for some in (_AXES, {"link"}))
    return told >= _FEWEST and {"L", "R"} <= {side_of(name) for name in names}


def without_axes(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of such a robot without those words, those of all other rigs as they are."""
    return tuple(map(_without_axis, names)) if has_axes(names) else tuple(names)


def _without_axis(name: str) -> str:
    words = tokens(name)
    return " ".join(word for word in words if word not in _OF_LINKS) if _OF_LINKS & set(words) else name
