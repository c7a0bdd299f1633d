# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What there is to know of pins between the keys that a drag has made and those beside them."""

from bpy.types import Context, Object

from ...armature import Rig, keyed_pins, present_frame, shows_keys
from ...armature.autokey import is_on


def between_keys_text(context: Context, rig: Rig, ob: Object) -> str:
    """Return what to say where pins stand in the present key and the one beside it: Blender slides them
    between, unless *Live* is on."""
    if ob.superpose_live or not (is_on(context) and shows_keys(rig, ob)):
        return ""
    pins, frame, now = keyed_pins(rig, ob), present_frame(rig, ob), context.scene.frame_current_final
    stand = any(pins.standing(frame, time) for time in (now - 1, now + 1))
    return "Pins slide between keys: switch Live on, or Bake Pins" if stand else ""
