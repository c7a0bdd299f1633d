# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is stored in the file, where the user would look for it: on the pose bone and on the object.

An effector is data of its pose bone, so it follows a renamed bone, is copied with the object, and the
path of its animated influence stays the same when the list is put in another order.

Blender stores a group as soon as it is read; whoever only wants to look asks ``is_property_set`` first.
"""

import bpy
from bpy.types import Context, PoseBone, PropertyGroup


def _on_change(setting: PropertyGroup | PoseBone, _: Context) -> None:
    """Let Blender know that the object has changed, which live posing looks at."""
    setting.id_data.update_tag()


def _on_target(setting: PropertyGroup, context: Context) -> None:
    """Note whether a target was chosen or cleared: of one that is deleted Blender tells nobody.

    A bone of the one before is chosen no more where the new one has none: no field would show it.
    """
    setting.expects_target = setting.target is not None
    if setting.target and setting.target.pose is None and setting.target_bone:
        setting.target_bone = ""
    _on_change(setting, context)


# Rigs that are linked with a library override are set up like any other.
OVERRIDABLE = {"override": {'LIBRARY_OVERRIDABLE'}}
SETTING = {"options": set(), "update": _on_change, **OVERRIDABLE}
# What animators key.
KEYABLE = SETTING | {"options": {'ANIMATABLE'}}
TARGET = SETTING | {"update": _on_target}
# What a solve found out is neither keyed nor part of an override: it is true until the next solve.
RESULT = {"options": set()}
# What of goals gives way to what.
RANKS = (
    ('MUST', "Must Hold", "Comes before goals that Should hold; too many of these contradict each other"),
    ('SHOULD', "Should", "Gives way to what Must Hold, as far as that needs it"),
)

register, unregister = bpy.utils.register_submodule_factory(
    __name__, ("limit", "comfort", "bone", "goal", "setup", "overrides")
)
