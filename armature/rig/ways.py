# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a solve begins: the way from a bone up to the topmost one that is solved with it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import takewhile

from bpy.types import Object, PoseBone

from ..errors import RigError


@dataclass(frozen=True)
class Ways:
    """The ways up in an armature, of which ``blocked`` bones are placed by more than their channels.

    ``top``: the bone below which all is solved, or nothing. ``carriers``: the bones above it, which stay.
    """

    blocked: Mapping[str, str]
    top: str = ""
    carriers: frozenset[str] = frozenset()

    def up(self, bone: PoseBone) -> list[PoseBone]:
        """Return the bones from this one up to the top bone; beside that, up to the last that does not carry
        it.

        The way does not lead out of controls that hang on a mechanism. That is a bone that does not deform
        and is placed by more than its channels: it is no joint of a body but a part of how controls work.
        Raises RigError for a bone that carries the top bone.
        """
        if bone.name in self.carriers:
            raise RigError(
                f"'{bone.name}' carries the root bone '{self.top}' and so stays: choose another Root Bone, "
                "or disable what is asked of it"
            )
        above = takewhile(
            lambda link: not (link.name in self.carriers or self._is_mechanism(link)), bone.parent_recursive
        )
        return [bone, *above]

    def _is_mechanism(self, link: PoseBone) -> bool:
        return link.name in self.blocked and not link.bone.use_deform


def ways_of(ob: Object, blocked: Mapping[str, str], held: Collection[str] = ()) -> Ways:
    """Return the ways up to the armature's root bone, or to a bone above it that the user holds.

    Raises RigError where there is no such bone.
    """
    root = ob.superpose.root_bone if ob.is_property_set("superpose") else ""  # reading would store it
    if not root:
        return Ways(blocked)
    if root not in ob.pose.bones:
        raise RigError(f"Armature '{ob.name}' has no bone '{root}' to be the root")
    line = [root, *bones_above_root(ob)]
    place = max((place for place, name in enumerate(line) if name in held), default=0)
    return Ways(blocked, line[place], frozenset(line[place + 1 :]))


def bones_above_root(ob: Object) -> list[str]:
    """Return the bones that carry the armature's root bone, from its parent on; none without a root bone."""
    root = ob.pose.bones.get(ob.superpose.root_bone) if ob.is_property_set("superpose") else None
    return [bone.name for bone in root.parent_recursive] if root else []
