# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a bone is in a body, whatever its name."""

from dataclasses import dataclass

# From the trunk outwards. A front leg, a wing and an arm are the same limb, and so are all hind legs.
ARM = ("clavicle", "upper_arm", "forearm", "hand")
LEG = ("pelvis", "thigh", "shin", "foot")
FINGERS = ("thumb", "index", "middle", "ring", "pinky")


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
