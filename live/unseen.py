# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses that were written and of which Blender may show something else, until they are looked at."""

from dataclasses import dataclass

from bpy.types import Depsgraph, Object

from ..armature import DrivenJoint, Sight, driven_joints, is_plain, present_sight
from ..dragging import Found


@dataclass(eq=False)
class Unseen:
    """What was ``found`` and written but not looked at since; ``is_plain``: what is solved is what Blender
    will show, and ``joints``: those that effectors drive, if these are known; ``is_as_solved``: what was
    looked at last was what had been solved.
    """

    found: Found | None = None
    is_plain: bool | None = None
    joints: tuple[DrivenJoint | None, ...] | None = None
    is_as_solved: bool = False

    def forget_build(self) -> None:
        """Have what is known of the armature's own build found out anew."""
        self.is_plain, self.joints, self.is_as_solved = None, None, False

    def has_to_be_seen(self, ob: Object, is_settled: bool) -> bool:
        """Return whether a pose has been written of which Blender may show something else."""
        if self.is_plain is None:
            self.is_plain = is_plain(ob)
        if is_settled and self.is_plain:
            self.found = None
        return self.found is not None

    def seen(self, ob: Object, depsgraph: Depsgraph) -> tuple[Found, Sight] | None:
        """Return the pose that was written and is evaluated, and what Blender shows of it, or None."""
        found, self.found = self.found, None
        if found is None:
            return None
        if self.joints is None:
            self.joints = driven_joints(found.rig, ob)
        return found, present_sight(depsgraph, found.rig, ob, self.joints)
