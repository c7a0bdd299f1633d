# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""All settings of an armature as Blender stores them. They tell of edits, in a fraction of a millisecond.

Blender tells of most edits itself, but not of entries that are added to a list or removed, nor of what
scripts write past the properties.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from bpy.types import Object, PoseBone, PropertyGroup

from .effectors import OFFSET, WEIGHTS

Values = dict[str, Any]


@dataclass(frozen=True)
class StoredSettings:
    """``values``: what is stored, without results, for the armature object, each of its goals and each of the
    ``bones`` (places in ``ob.pose.bones``) that have anything stored.
    """

    bones: tuple[int, ...]
    values: tuple[Values, ...]

    def are_of(self, ob: Object) -> bool:
        """Return whether all is as it was; of bones that had no settings Blender itself tells."""
        return len(ob.pose.bones) > max(self.bones) and self == _stored_of(ob, self.bones)


def stored_settings(ob: Object) -> StoredSettings:
    """Return all settings of an armature object that has some as they are stored."""
    return _stored_of(ob, [place for place, bone in enumerate(ob.pose.bones) if _stored(bone)])


def _stored_of(ob: Object, places: Sequence[int]) -> StoredSettings:
    setup, bones = _stored(ob), [ob.pose.bones[place] for place in places]
    goals = [_edited(ob.superpose.goals[place], goal) for place, goal in enumerate(setup.get("goals", ()))]
    own = _edited(ob.superpose, setup) | {"goals": len(goals)}
    return StoredSettings(
        tuple(places),
        (own, *goals, *(_edited(bone.superpose, _stored(bone)) | _own(bone) for bone in bones)),
    )


def _own(bone: PoseBone) -> Values:
    """Return what rigs are read from that the bone has itself."""
    return {OFFSET: tuple(getattr(bone, OFFSET))} | {name: getattr(bone, name) for name in WEIGHTS}


def _stored(owner: Object | PoseBone) -> Values:
    """Return what is stored for the object or bone; Blender 5.0 keeps it apart from what scripts store."""
    is_apart = hasattr(owner, "bl_system_properties_get")
    properties = owner.bl_system_properties_get() if is_apart else owner
    group = properties.get("superpose") if properties is not None else None
    return {} if group is None else group.to_dict()


def _edited(group: PropertyGroup, values: Values) -> Values:
    """Return of the stored values of a group those that can be edited, objects by their names."""
    names = _settings_of(type(group))
    found = {name: value for name, value in values.items() if name in names}
    if "target" not in found:
        return found
    target = group.target  # where there is none, what is stored is an empty group
    return found | {"target": target and target.name_full}


@cache
def _settings_of(kind: type) -> frozenset[str]:
    """Return the names of settings, which library overrides may change; results are no part of those."""
    return frozenset(prop.identifier for prop in kind.bl_rna.properties if prop.is_overridable)
