# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done to an armature of the open file: a bake to its targets, or one along its own motion."""

import json
from collections.abc import Callable

import bpy
from bpy.types import Object

from ..armature import effectors_of
from ..armature.recording.own_motion import led_by_own_motion
from .options import numbers_of
from .records import Record

Properties = dict[str, object]


def bake(ob: Object, properties: Properties) -> Record:
    """Bake, and return how it went. Raises RuntimeError as operators do."""
    bpy.ops.superpose.bake(use_progress=True, **properties)
    return reported(ob)


def smooth(ob: Object, properties: Properties) -> Record:
    """Bake along the motion that is there, and return how it went. Raises RuntimeError as operators do.

    An armature that is not set up has no more than it had, in the end, but for the keys.
    """
    if effectors_of(ob):
        return _smooth(ob, properties)
    bpy.ops.superpose.set_up_body(use_targets=False, use_limits=False, use_comfort=False, use_live=False)
    try:
        return _smooth(ob, properties)
    finally:
        bpy.ops.superpose.remove_setup()


def _smooth(ob: Object, properties: Properties) -> Record:
    with led_by_own_motion(bpy.context, ob, numbers_of("bake", properties)):
        return bake(ob, properties)


def reported(ob: Object) -> Record:
    """Return how it went, as the panel says it."""
    setup = ob.superpose
    return {
        "armature": ob.name,
        "message": setup.message,
        "missed": setup.is_missed,
        "jumps": setup.jumps,
        "strays": setup.strays.splitlines(),
        "notes": setup.notes.splitlines(),
        "clip": json.loads(setup.clip_report) if setup.clip_report else None,
    }


KINDS: dict[str, Callable[[Object, Properties], Record]] = {"bake": bake, "smooth": smooth}
