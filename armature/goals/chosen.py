# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user has chosen when a goal is added: bones and an object."""

from dataclasses import dataclass

from bpy.types import Object, PoseBone

from ..errors import RigError


@dataclass(frozen=True)
class Chosen:
    """The armature object ``ob``, its active bone and those that are selected; ``target``: another object."""

    ob: Object
    active: PoseBone | None
    selected: tuple[PoseBone, ...]
    target: Object | None

    @property
    def bone(self) -> PoseBone:
        """The active bone; raises RigError."""
        if self.active is None:
            message = "has no active bone: make the bone of the goal active"
            raise RigError(f"'{self.ob.name}' {message}")
        return self.active

    @property
    def other_bone(self) -> PoseBone:
        """The one other bone that is selected; raises RigError."""
        others = [bone for bone in self.selected if bone != self.bone]
        if len(others) != 1:
            raise RigError(f"Select one other bone, beside which '{self.bone.name}' should stay")
        return others[0]
