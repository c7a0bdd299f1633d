# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bone is in a body, whatever its name."""

import re
from dataclasses import dataclass

# From the trunk outwards. A front leg, a wing and an arm are the same limb, and so are all hind legs.
ARM = ("clavicle", "upper_arm", "forearm", "hand")
LEG = ("pelvis", "thigh", "shin", "foot")
# Which of both the parts are that bend, by words: "leg" may be any of it.
LIMBS = dict.fromkeys(ARM[1:], "arm") | dict.fromkeys((*LEG[1:], "leg"), "leg")
FINGERS = ("thumb", "index", "middle", "ring", "pinky")
PARTS = {"hips", "spine", "neck", "head", "tail", "palm", "finger", "toe", "link", *ARM, *LEG, *FINGERS}
_WRITTEN = re.compile(r"([a-z_]+|leg[1-9]\d?)(?:\.([LR]))?(?: ([1-9]\d*) of ([1-9]\d*))?")


@dataclass(frozen=True)
class Role:
    """One bone of a ``part``: the ``place``-th of ``count`` from the trunk outwards, as likely as ``sure``.

    ``side``: "L", "R" or nothing in the middle.
    """

    part: str
    side: str = ""
    place: int = 1
    count: int = 1
    sure: float = 1.0

    def __str__(self) -> str:
        part = f"{self.part}.{self.side}" if self.side else self.part
        return f"{part} {self.place} of {self.count}" if self.count > 1 else part

    @classmethod
    def written(cls, text: str) -> "Role | None":
        """Return the role that is written like this, as ``str`` writes it; None where it is none."""
        match = _WRITTEN.fullmatch(text)
        if match is None:
            return None
        part, side, place, count = match[1], match[2] or "", int(match[3] or 1), int(match[4] or 1)
        known = part in PARTS or part[3:].isdigit()
        return cls(part, side, place, count) if known and place <= count else None
