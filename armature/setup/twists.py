# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one door between the share of a limb's twist that a bone stores and that of a body."""

from bpy.types import Object, PoseBone

from ...bodies import Body, TwistShare, twist_shares
from .body import rest_of
from .made import forget_made


def has_twist(bone: PoseBone) -> bool:
    """Return whether the bone takes a share of a limb's twist; stores nothing."""
    return bone.is_property_set("superpose") and bone.superpose.twist_share > 0


def store_twist(bone: PoseBone, twist: TwistShare) -> None:
    """Make the share the bone's own, in place of what it had."""
    forget_made(bone, 'TWIST')
    bone.superpose.twist_share = twist.share
    bone.superpose.twist_of = 'END' if twist.at_end else 'START'


def body_twists(ob: Object, body: Body) -> dict[str, TwistShare]:
    """Return the shares of the bones of the armature object, which is the body, that are told by names."""
    rest = rest_of(ob)
    return twist_shares(body, rest.names, rest.parents, rest.heads)
