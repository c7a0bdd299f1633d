# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is done to an armature of the open file: a bake to its targets, or one along its own motion."""

import json
from collections.abc import Callable

import bpy
from bpy.types import Object

from ..armature import effectors_of
from ..armature.recording.own_motion import led_by_own_motion
from .errors import CommandError
from .options import numbers_of
from .records import Record

Properties = dict[str, object]


def bake(ob: Object, properties: Properties) -> Record:
    """Bake, and return how it went. Raises CommandError, and RuntimeError as operators do."""
    call("bake", use_progress=True, **properties)
    return reported(ob)


def smooth(ob: Object, properties: Properties) -> Record:
    """Bake along the motion that is there, and return how it went.

    An armature that is not set up has no more than it had, in the end, but for the keys. Raises CommandError,
    RigError, and RuntimeError as operators do.
    """
    if effectors_of(ob):
        return _smooth(ob, properties)
    call("set_up_body", use_targets=False, use_limits=False, use_comfort=False, use_live=False)
    try:
        return _smooth(ob, properties)
    finally:
        bpy.ops.superpose.remove_setup()


def _smooth(ob: Object, properties: Properties) -> Record:
    with led_by_own_motion(bpy.context, ob, numbers_of("bake", properties)):
        return bake(ob, properties)


def call(operator: str, **properties: object) -> None:
    """Call an operator of ours. Raises RuntimeError as it does, and CommandError where it cannot be."""
    why = getattr(bpy.types, f"SUPERPOSE_OT_{operator}").refusal(bpy.context)
    if why:  # which Blender would not print
        raise CommandError(why)
    getattr(bpy.ops.superpose, operator)(**properties)


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
