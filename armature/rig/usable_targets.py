# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a target can be used, an effector's or another goal's."""

from bpy.types import Object, PropertyGroup
from mathutils import Matrix

from ..errors import RigError
from .dependencies import first_moved

_ANOTHER = "choose another object"


def check_target(
    ob: Object, settings: PropertyGroup, words: str, moved: frozenset[str], instead: str = _ANOTHER
) -> None:
    """Raise RigError for a target that is gone or that one of the ``moved`` bones of ``ob`` carries.

    ``settings`` have the target, if any; ``words``: whose it is, in messages; ``instead``: what to do where
    it is gone.
    """
    target, name = settings.target, settings.target_bone
    if target is None:
        if settings.expects_target:
            raise RigError(f"The target of {words} was deleted: {instead}")
        return
    if not target.users_scene:  # deleted by the user; our pointer is what keeps it in the file
        raise RigError(f"The target of {words} is gone: {instead}; '{target.name}' is in no scene")
    if target == ob and not name:
        raise RigError(f"The target of {words} is its own armature: {_ANOTHER}")
    if lacks_bone(settings):
        raise RigError(f"The target of {words} is gone: '{target.name}' has no bone '{name}'")
    cause = first_moved(target, name, ob, moved)
    if cause is not None:
        raise RigError(f"The target of {words} moves with bone '{cause}', which the solve moves")


def lacks_bone(settings: PropertyGroup) -> bool:
    """Return whether the target should be a bone, and its object has none of that name."""
    target, name = settings.target, settings.target_bone
    return bool(name) and (target.pose is None or name not in target.pose.bones)


def target_place(settings: PropertyGroup) -> Matrix:
    """Return where the target of an effector or another goal is shown, world: an object, or a bone of it."""
    target = settings.target
    bone = target.pose.bones.get(settings.target_bone) if target.pose else None
    return target.matrix_world @ bone.matrix if bone else target.matrix_world.copy()
