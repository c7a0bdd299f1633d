# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Armatures that cannot be followed for a while: what is left of what is known, to pose them once they can.

They are hidden from the view layer, in Edit Mode, or refused. Frames are posed as if they had never been.
"""

from bpy.types import Object

from .follower import Follower


def away(ob: Object, follower: Follower) -> Follower:
    """Return what is known of an armature that has not come along into another frame."""
    ob.superpose.followed = ""  # what was found was for the frame before, in a file that is saved as well
    return Follower(opened=follower.opened or follower.left)


def refused(ob: Object, follower: Follower) -> Follower | None:
    """Return what is known of an armature that is refused; None where it has no pose for its frame alone."""
    known = follower.opened or follower.left
    return None if known is None or known.began(ob) is None else Follower(opened=known)


def is_edited(follower: Follower, ob: Object) -> bool:
    """Return whether an armature that was refused has been posed by others since, in the same frame."""
    known = follower.opened
    return known is not None and known.began(ob) is None and ob.superpose.followed != ""
