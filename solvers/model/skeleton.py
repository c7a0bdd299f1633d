# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones, how they hang together, and what each may do.

Frames: *armature* is the frame everything is solved in; a bone's own frame has its head as origin.
The head of bone ``b`` with parent ``p`` and its rotation, both ``bone_to_armature``::

    head_b     = head_p + R_p offset_b + translation_b
    R_b        = R_p rest_b q_b          (R_b = rest_b q_b for roots and where rotation is not inherited)

Lengths are in the caller's unit, angles in radians, quaternions ``wxyz``. Arrays are float64 with the
batch axis first; a batch of one broadcasts.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import ComfortError, SkeletonError, check_kinds, in_tuple, named_kind
from ..geometry import Array, Indices, Mask, Rows, altered, is_number, norm, normalised, slerp
from ..limits import Group, Limit, group_limits
from ..posture import Comfort, Drawing, Twist
from .frozen import frozen_as
from .pose import Pose

# The longest length that can be reckoned with, and of the longest bone the shortest: products of squares
# overflow, or are nothing.
LONGEST, SHORTEST = 1e30, 1e-30
# What a bone may have one of, and what tells it from anything else; limits may be of kinds of one's own.
_MARKS = {"limit": "grouped", "comfort": "spread", "twist": "share"}
# None, the default of fields that take their values from others: their type is what they hold from then on.
LEFT_OUT: Any = None


@dataclass(frozen=True, eq=False)
class Skeleton:
    """A forest of bones.

    - ``names``: one for each bone
    - ``parents`` (bones,): index of the parent, which comes before its children; -1 for a root
    - ``offsets`` (batch or 1, bones, 3): the head in the parent's frame, a root's in armature space
    - ``rests`` (batch or 1, bones, 4): quaternion of the bone at zero rotation in its parent's frame, or in
      armature space for roots and for bones that do not inherit rotation
    - ``inherits_rotation`` (bones,)
    - ``stiffness`` (bones,): 0 moves freely, 1 is locked
    - ``freedom`` (bones, 3, 3): projector on the directions, in armature space, in which a root's head may be
      moved; zeros anchor it. Only roots may have any.
    - ``limits``: what joints may do
    - ``comforts``: how joints would rather be where the targets leave a choice
    - ``twists``: which bones share the twist of their limb

    A bone has at most one limit, one comfort and one twist. ``places`` (name to index) and ``topology``
    (parent and inheritance of each bone) follow from these.

    Raises SkeletonError naming the bone.
    """

    names: Sequence[str]
    parents: Indices
    offsets: Array
    rests: Array
    inherits_rotation: Mask = LEFT_OUT
    stiffness: Array = LEFT_OUT
    freedom: Array = LEFT_OUT
    limits: tuple[Limit, ...] = ()
    comforts: tuple[Comfort, ...] = ()
    twists: tuple[Twist, ...] = ()
    places: dict[str, int] = field(init=False, repr=False)
    topology: tuple[tuple[int, bool], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", in_tuple(self.names, "The names of bones", SkeletonError))
        count = len(self.names)
        defaults = {
            "inherits_rotation": np.ones(count, bool),
            "stiffness": np.zeros(count),
            "freedom": np.zeros((count, 3, 3)),
        }
        kinds: dict[str, type[np.generic]] = {"parents": np.int64, "inherits_rotation": np.bool_}
        for name in ("parents", "offsets", "rests", "inherits_rotation", "stiffness", "freedom"):
            value = getattr(self, name)
            if value is None and name in defaults:
                value = defaults[name]
            kind, what = kinds.get(name, np.float64), f"The {name.replace('_', ' ')} of bones"
            object.__setattr__(self, name, frozen_as(value, kind, what, SkeletonError))
        self._check_shapes(count)
        self._check_names()
        object.__setattr__(self, "places", {name: bone for bone, name in enumerate(self.names)})
        topology = zip(self.parents.tolist(), self.inherits_rotation.tolist(), strict=True)
        object.__setattr__(self, "topology", tuple(topology))
        self._check_values()

    def _check_shapes(self, count: int) -> None:
        shapes = {
            "parents": (count,),
            "offsets": (None, count, 3),
            "rests": (None, count, 4),
            "inherits_rotation": (count,),
            "stiffness": (count,),
            "freedom": (count, 3, 3),
        }
        for name, wanted in shapes.items():
            shape = getattr(self, name).shape
            if len(shape) != len(wanted) or any(
                w not in (None, s) for s, w in zip(shape, wanted, strict=True)
            ):
                shown = str(wanted).replace("None", "batch")
                raise SkeletonError(f"{name} has shape {shape} where {count} bones need {shown}")

    def _check_names(self) -> None:
        for name in self.names:
            if not isinstance(name, str):
                raise SkeletonError(f"The name of a bone must be text, not {name!r}")

    def _check_values(self) -> None:
        for bone, (name, parent) in enumerate(zip(self.names, self.parents, strict=True)):
            if not -1 <= parent < bone:
                raise SkeletonError(f"Bone '{name}' comes before its parent")
        for bone, name in enumerate(self.names):
            if self.places[name] != bone:
                raise SkeletonError(f"Two bones have the name '{name}'")
        finite = np.all(np.isfinite(self.offsets), axis=(0, 2)) & np.all(np.isfinite(self.rests), axis=(0, 2))
        finite &= np.all(np.isfinite(self.freedom), axis=(1, 2))
        self.refuse(~finite, "has a rest transform that is not finite")
        self.refuse(np.any(np.abs(self.offsets) > LONGEST, axis=(0, 2)), f"is more than {LONGEST:g} away")
        lengths = np.where(self.parents >= 0, np.abs(self.offsets).max(axis=(0, 2), initial=0.0), 0.0)
        tiny = (lengths > 0) & (lengths.max(initial=0.0) < SHORTEST)
        self.refuse(tiny, f"is less than {SHORTEST:g} from its parent, as all bones are")
        crooked = np.abs(norm(np.clip(self.rests, -2.0, 2.0)) - 1) > 1e-6
        self.refuse(crooked, "has a rest rotation that is no unit quaternion")
        self.refuse(~((self.stiffness >= 0) & (self.stiffness <= 1)), "has a stiffness outside 0 to 1")
        for what, mark in _MARKS.items():
            chosen = in_tuple(getattr(self, f"{what}s"), f"The {what}s of a skeleton", SkeletonError)
            object.__setattr__(self, f"{what}s", chosen)
            for of in chosen:
                if not hasattr(of, mark):
                    raise SkeletonError(f"The {what}s of a skeleton must be such, not {named_kind(of)}")
            bones = [of.bone for of in chosen]
            for name in bones:
                if bones.count(name) > 1:
                    raise SkeletonError(f"Bone '{name}' has more than one {what}")
                self.index(name)
        self._check_twists()
        crooked = np.abs(self.freedom @ self.freedom.swapaxes(-1, -2) - self.freedom).max(axis=(1, 2)) > 1e-6
        self.refuse(crooked, "has a freedom that is no projector")
        inner = (self.parents >= 0) & self.freedom.any(axis=(1, 2))
        self.refuse(inner, "is no root, so it cannot move freely")

    def _check_twists(self) -> None:
        for twist in self.twists:
            if not (is_number(twist.share) and 0 <= twist.share <= 1):
                raise SkeletonError(f"The share of twist of '{twist.bone}' is outside 0 to 1")
            way = self.way(twist.first, twist.last if twist.carries else twist.bone)
            if not twist.carries and self.parents[self.index(twist.last)] != self.index(twist.first):
                raise SkeletonError(f"'{twist.last}' does not hang on '{twist.first}', whose twist is shared")
            along = np.isin(np.arange(len(self.names)), way[1:])
            self.refuse(along & ~self.inherits_rotation, "inherits no rotation, so it shares no twist")
            if self.index(twist.bone) not in way[1:]:
                raise SkeletonError(f"'{twist.bone}' is no part of the limb from '{twist.first}' on")

    @cached_property
    def grouped_limits(self) -> tuple[Group, ...]:
        """The limits in groups, one for each sort."""
        return group_limits(self.limits, self.places)

    def way(self, above: str, below: str) -> list[int]:
        """Return the bones from one down to another that it carries; raises SkeletonError."""
        way, top = self.way_to(below), self.index(above)
        if top not in way:
            raise SkeletonError(f"'{below}' does not hang on '{above}'")
        return way[way.index(top) :]

    def way_to(self, name: str) -> list[int]:
        """Return the bones from the root to this one; raises SkeletonError."""
        way, bone = [], self.index(name)
        while bone >= 0:
            way.append(bone)
            bone, _ = self.topology[bone]
        return way[::-1]

    def check_pose(self, pose: Pose) -> None:
        """Raise SkeletonError where the pose is of another skeleton, or cannot be reckoned with."""
        self._check_bones(pose)
        rows = len(pose)
        for name in ("offsets", "rests"):
            count = len(getattr(self, name))
            if count not in (1, rows):
                raise SkeletonError(f"The skeleton has {count} rows of {name} for {rows} poses")
        lengths = np.abs(pose.rotations).max(axis=-1)
        self.refuse(lengths < 1e-6, "has a rotation of length zero")
        self.refuse(lengths > LONGEST, f"has a rotation whose length is more than {LONGEST:g}")
        far = np.abs(pose.translations).max(axis=-1) > LONGEST
        self.refuse(far, f"is moved by more than {LONGEST:g}")

    def _check_bones(self, pose: Pose) -> None:
        check_kinds([pose], Pose, "The pose", SkeletonError)
        bones = pose.rotations.shape[1]
        if bones != len(self.names):
            raise SkeletonError(f"The pose has {bones} bones, the skeleton {len(self.names)}")

    def refuse(self, bad: Mask, complaint: str) -> None:
        """Raise SkeletonError naming the first bone that is ``bad`` (..., bones), if any is."""
        if bad.any():
            first = int(np.argmax(bad.reshape(-1, len(self.names)).any(axis=0)))
            raise SkeletonError(f"Bone '{self.names[first]}' {complaint}")

    def rows(self, keep: Rows) -> "Skeleton":
        """Return the skeleton of the rows ``keep`` of a batch."""
        batches = {len(self.offsets), len(self.rests)}
        batches |= {limit.batch for limit in self.limits} | {comfort.batch for comfort in self.comforts}
        if batches == {1}:
            return self
        limits = tuple(limit.rows(keep) for limit in self.limits)
        comforts = tuple(comfort.rows(keep) for comfort in self.comforts)
        offsets = self.offsets if len(self.offsets) == 1 else self.offsets[keep]
        rests = self.rests if len(self.rests) == 1 else self.rests[keep]
        return replace(self, offsets=offsets, rests=rests, limits=limits, comforts=comforts)

    def drawn_to(self, pose: Pose, share: float = 1.0) -> "Skeleton":
        """Return the skeleton with its comfort drawn to a pose, of one row or of one for each problem.

        Bones that have a comfort get one that lies at ``share`` of the way from the pose to their own. Bones
        that have none, and may turn, get the pose as their comfort.
        Raises SkeletonError, and ComfortError for a share that is none.
        """
        if not is_number(share) or not 0 <= share <= 1:
            raise ComfortError(f"A share of the way to comfort must be from 0 to 1, not {share!r}")
        return self.with_comforts(self.drawing(pose).at(share, {}))

    def drawing(
        self,
        pose: Pose,
        held: Collection[str] = (),
        ends: Collection[str] = (),
        following: Collection[str] = (),
    ) -> Drawing:
        """Return the comfort as it can be drawn to one pose again and again, each time by another share.

        ``held``: bones that should stay in place; those that carry them stray less, and the limbs of those
        that are merely ``following`` a little less. ``ends``: bones where limbs end that may have greater
        shares. Bones that carry what is held belong to no such limb.
        """
        self._check_bones(pose)
        rotations = normalised(pose.rotations)
        rotations = rotations[0] if len(pose) == 1 else rotations
        own = self.comforts
        others = {name for name, place in self.places.items() if self.stiffness[place] < 1}
        others -= {comfort.bone for comfort in own}
        given = (
            Comfort(name, rotations[..., self.places[name], :], None) for name in self.names if name in others
        )
        carriers = set().union(*map(self._carriers, held))
        bending = set().union(*map(self._limb, following))
        resting = np.broadcast_arrays(*(comfort.rotation for comfort in own)) or [np.empty((0, 4))]
        return Drawing(
            own,
            tuple(given),
            begin=rotations[..., [self.places[comfort.bone] for comfort in own], :],
            resting=np.stack(resting, axis=-2),
            carrying=self._have_comfort(carriers),
            bending=self._have_comfort(bending),
            limbs={end: self._have_comfort(self._limb(end) - carriers) for end in ends},
        )

    def with_comforts(self, comforts: tuple[Comfort, ...]) -> "Skeleton":
        """Return the skeleton with other comforts, not checked again: one each, of its own bones."""
        return altered(self, comforts=comforts, grouped_limits=self.grouped_limits)

    def _have_comfort(self, bones: Collection[str]) -> Mask:
        """Return which comforts are of the bones."""
        return np.array([comfort.bone in bones for comfort in self.comforts], dtype=bool)

    def with_comfort_near(self, pose: Pose, shares: Array, bones: Collection[str]) -> "Skeleton":
        """Return the skeleton with the comfort of the ``bones`` near the pose, if they have one.

        It lies at ``shares`` (batch,) of the way from the pose to where it was, for each problem.
        """
        rotations = normalised(pose.rotations)

        def moved(comfort: Comfort) -> Comfort:
            """Return the comfort of one bone, moved."""
            begin = rotations[:, self.places[comfort.bone]]
            own = np.broadcast_to(comfort.rotation, begin.shape)
            return comfort.moved(slerp(begin, own, shares), 1.0, shares)

        return replace(self, comforts=tuple(moved(c) if c.bone in bones else c for c in self.comforts))

    def _carriers(self, name: str) -> set[str]:
        """Return the bone and all above it."""
        return {self.names[bone] for bone in self.way_to(name)}

    def _limb(self, name: str) -> set[str]:
        """Return the bone and those above it up to where others with comfort branch off; twist bones may."""
        line, twists = self.way_to(name), {twist.bone for twist in self.twists}
        left = self._places_on(line)  # where each bone leaves the line
        tips = [self.places[comfort.bone] for comfort in self.comforts if comfort.bone not in twists]
        beside = (left[tip] for tip in tips if left[tip] < len(line) - 1 and line[left[tip]] != tip)
        return {self.names[bone] for bone in line[max(beside, default=-1) + 1 :]}

    def _places_on(self, line: list[int]) -> list[int]:
        """Return for each bone the place on a line of the lowest bone there that carries or is it, or -1."""
        on_line = {bone: place for place, bone in enumerate(line)}
        places: list[int] = []
        for bone, (parent, _) in enumerate(self.topology):
            places.append(on_line.get(bone, places[parent] if parent >= 0 else -1))
        return places

    def index(self, name: str) -> int:
        """Return the index of the named bone; raises SkeletonError."""
        if not isinstance(name, str) or name not in self.places:
            raise SkeletonError(f"There is no bone '{name}'")
        return self.places[name]
