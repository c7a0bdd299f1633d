# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What goals of all kinds are as the user has set them up."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from bpy.types import Object, PropertyGroup
from mathutils import Vector

from ...solvers import Goal
from ..errors import RigError
from ..setup.ranks import MUST, SHOULD
from .chosen import Chosen
from .posed import Posed

RANKS = {"MUST": MUST, "SHOULD": SHOULD}  # by the choices of the property


@dataclass(frozen=True)
class GoalSetting:
    """A goal's settings as a value: it holds no reference to Blender's data.

    ``index``: its place in the list. ``words``: what it is called in messages. ``rank``: MUST
    or SHOULD. ``has_target``: whether an object says where.
    """

    # What the button that adds one says.
    ADDS: ClassVar[str]
    # Whether it looks at where the targets of effectors are.
    STANDS: ClassVar[bool] = False

    index: int
    words: str
    bone: str
    rank: int
    has_target: bool

    @classmethod
    def read(cls, ob: Object, index: int, goal: PropertyGroup) -> Self:
        """Return the settings of the armature object's goal; raises RigError naming what is missing."""
        raise NotImplementedError

    @classmethod
    def values(cls, goal: PropertyGroup) -> tuple[float, ...]:
        """Return what can be keyed of the goal, besides its influence: how much it counts, and more."""
        return (goal.weight,)

    @classmethod
    def begun(cls, chosen: Chosen) -> dict[str, Any]:
        """Return what a new goal has, by the names of its properties; raises RigError for what is missing."""
        raise NotImplementedError

    @classmethod
    def completed(cls, ob: Object, goal: PropertyGroup) -> None:
        """Store in a new goal what the pose says."""

    @classmethod
    def direction(cls, ob: Object, goal: PropertyGroup) -> Vector | None:
        """Return where its target has to lie from the bone's head, armature space, so that the pose meets it.

        None where it needs no target.
        """
        return None

    @property
    def bones(self) -> tuple[str, ...]:
        """The bones that the goal looks at, which have to be among those that are solved."""
        return (self.bone,)

    @property
    def of_all(self) -> bool:
        """Whether it is about the whole body, fingers and toes included."""
        return False

    @property
    def points(self) -> bool:
        """Whether it says which way its bone points."""
        return False

    def goal(self, posed: Posed) -> Goal:
        """Return the goal for the solver, a row for each frame; raises SolverError."""
        raise NotImplementedError


def common(ob: Object, index: int, goal: PropertyGroup) -> dict:
    """Return what all kinds have; raises RigError for bones that the armature has not."""
    words = words_of(goal)
    for bone in filter(None, (goal.bone, goal.upper_bone, goal.end_bone, goal.other_bone)):
        if bone not in ob.pose.bones:
            raise RigError(f"{sentence(words)} is gone: armature '{ob.name}' has no bone '{bone}'")
    return {
        "index": index,
        "words": words,
        "bone": goal.bone,
        "rank": RANKS[goal.rank],
        "has_target": goal.target is not None,
    }


def words_of(goal: PropertyGroup) -> str:
    """Return what a goal is called in messages."""
    kind = goal.bl_rna.properties["kind"].enum_items[goal.kind].name.lower()
    return f"the {kind} of '{goal.bone}'" if goal.bone else f"the {kind}"


def new_name(kind: str, bone: str) -> str:
    """Return what a new goal is called: by its kind and its bone, without a namespace, which takes room."""
    return f"{kind.capitalize()} {bone.rpartition(':')[2]}".strip()


def sentence(words: str) -> str:
    """Return the words as a sentence begins, names as they are."""
    return words[:1].upper() + words[1:]


def need_bone(goal: PropertyGroup, name: str = "bone") -> None:
    """Raise RigError where the goal has no such bone."""
    if not getattr(goal, name):
        label = goal.bl_rna.properties[name].name
        raise RigError(f"{sentence(words_of(goal))} needs a bone: choose its {label}")


def need_target(goal: PropertyGroup) -> None:
    """Raise RigError where the goal has no target."""
    if goal.target is None:
        raise RigError(f"{sentence(words_of(goal))} needs a target: choose an object")
