# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who is solved and how: bones, effectors and targets of one armature, as names and indices.

A ``Rig`` is a value: it holds no reference to Blender's data, so it outlives frame changes and undo. Arrays
over bones are in the order of ``names``, parents before children.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress, takewhile

import numpy as np
from bpy.types import Object, PoseBone

from ...solvers import Comfort, Effector, Twist
from ...solvers.geometry import Array, Indices, Mask
from ...solvers.goals import points_of
from ..goals import GoalSetting
from ..joints.joint import Joint
from .parts import Part
from .soles import Sole


@dataclass(frozen=True, eq=False)
class Rig:
    """What is solved of one armature: the bones from the effectors up to the root, and what is asked of them.

    Its bones, in the order of ``names``:

    - ``indices`` (bones,): places in ``ob.pose.bones``; ``parents`` (bones,): rows, -1 for a root
    - ``inherits_rotation`` (bones,); ``aligned`` (bones,): scale is inherited along the bone's own axes
    - ``stiffness`` (bones,): 0 turns freely, 1 not at all; ``speeds`` (bones,): the most that a bone turns in
      a second, radians, 0 for no bound
    - ``modes``: rotation modes; ``joints``: what the angles may do; ``comforts``: how some joints would
      rather be
    - ``free_rotation`` (bones, 4): rotation channels that may be written; ``locked_axes`` (bones, 3): Euler
      channels that are locked
    - ``sizers``: the constraint that changes a bone's size, in words, or nothing
    - ``lengths`` (bones,) at rest; ``extent``: how large the figure is at rest, measured as frames have it
    - ``twists``: bones that share the twist of a limb; ``keyed``: the bones that keys turn

    Its roots, (bones, ...) too:

    - ``carriers`` (bones,): the place in ``ob.pose.bones`` of the unsolved parent, -1 for none
    - ``location_maps`` (bones, 3, 3): the location channel in the frame of that parent, or in armature space
    - ``free_location`` (bones, 3): location channels that may be written; ``scene_axes`` (3,): axes of the
      scene along which roots may move

    Its effectors:

    - ``effectors``: as the solver takes them, by the ``parts`` that they take; ``listed``: the same if all of
      them were asked for
    - ``places`` (effectors,): rows of their bones; ``axis_signs`` (effectors, 3): which way their axes are
      shown
    - ``varying`` (effectors, 3): whether each frame has its own weight of position, weight of rotation,
      offset
    - ``targets``: what each should meet, in words; ``targetless`` (effectors,): those without, which stay
    - ``holds``: what each does while others are moved, one of ``HOLDS``
    - ``position_axes`` (effectors, 3): axes of the scene along which places count

    And besides:

    - ``goals``: what is asked beside effectors
    - ``feet``: what pinned feet stand on; ``soles``: those of them that hold by it
    - ``notes``: what the user should know
    """

    object_name: str
    names: tuple[str, ...]
    indices: Indices
    parents: Indices
    inherits_rotation: Mask
    stiffness: Array
    speeds: Array
    modes: tuple[str, ...]
    joints: tuple[Joint, ...]
    comforts: tuple[Comfort, ...]
    free_rotation: Mask
    locked_axes: Mask
    aligned: Mask
    sizers: tuple[str, ...]
    location_maps: Array
    carriers: Indices
    free_location: Mask
    scene_axes: Mask
    effectors: tuple[Effector, ...]
    listed: tuple[Effector, ...]
    parts: tuple[Part, ...]
    places: Indices
    axis_signs: Array
    varying: Mask
    targets: tuple[str, ...]
    targetless: Mask
    holds: tuple[str, ...]
    position_axes: Mask
    goals: tuple[GoalSetting, ...]
    lengths: Array
    extent: float
    twists: tuple[Twist, ...]
    feet: tuple[Sole, ...]
    soles: tuple[Sole, ...]
    keyed: frozenset[str]
    notes: tuple[str, ...]

    @property
    def turning(self) -> Mask:
        """Bones (bones,) whose rotation the solve may change, those beside a limb that twist with it too."""
        beside = {twist.bone for twist in self.twists if not twist.carries}
        return (self.stiffness < 1) | np.array([name in beside for name in self.names])

    @property
    def moving(self) -> Mask:
        """Bones (bones,) with a channel that the solve may change."""
        return self.turning | self.free_location.any(axis=1)

    @property
    def moving_names(self) -> frozenset[str]:
        """The names of the bones with a channel that the solve may change."""
        return frozenset(compress(self.names, self.moving))

    @property
    def is_keyed(self) -> bool:
        """Whether keys turn all bones that the solve may turn and that carry effectors.

        A toe that nothing has turned gets no keys.
        """
        carrying = {bone for place in self.places.tolist() for bone in self.way_up(place)}
        return self.keyed.issuperset(self.names[bone] for bone in carrying if self.turning[bone])

    @property
    def along(self) -> frozenset[int]:
        """Rows of the effectors that go with the body."""
        return frozenset(row for row, part in enumerate(self.parts) if part == 'ALONG')

    @property
    def as_listed(self) -> "Rig":
        """The rig in which all effectors are asked for, as while some of them are moved."""
        return replace(self, effectors=self.listed, parts=('ASKED',) * len(self.parts))

    @cached_property
    def lasting(self) -> dict[str, Array]:
        """What frames say of effectors that have nothing of their own, and so share: their ``weights``
        (effectors, 2), factors on the rig's, and ``offsets`` (effectors, 3)."""
        return {"weights": np.ones((len(self.effectors), 2)), "offsets": points_of(self.effectors, None)[0]}

    @property
    def rows_by_name(self) -> dict[str, int]:
        """The row of each bone, by its name."""
        return {name: row for row, name in enumerate(self.names)}

    def with_still(self, bones: Mask) -> "Rig":
        """Return the rig in which these ``bones`` (bones,) neither turn nor move."""
        stiffness, free = np.where(bones, 1.0, self.stiffness), self.free_location & ~bones[:, None]
        return replace(self, stiffness=stiffness, free_location=free)

    def row_of(self, bone: str) -> int:
        """Return the row of the effector that is on a bone of this name."""
        return next(row for row, effector in enumerate(self.effectors) if effector.bone == bone)

    def rows_of(self, bones: Collection[str]) -> frozenset[int]:
        """Return the rows of the effectors that are on bones of these names."""
        return frozenset(row for row, effector in enumerate(self.effectors) if effector.bone in bones)

    def way_up(self, bone: int) -> list[int]:
        """Return a bone and those above it, up to its root."""
        way = [bone]
        while (parent := int(self.parents[way[-1]])) >= 0:
            way.append(parent)
        return way

    def limb_of(self, row: int) -> list[int]:
        """Return an effector's bone and those above it that carry no other effector.

        Without a root that is free to move, which carries the body.
        """
        bone, *above = self.way_up(int(self.places[row]))
        others = map(self.way_up, self.places.tolist())
        shared = {link for way in others if bone not in way for link in way}
        shared |= set(np.flatnonzero((self.parents < 0) & self.free_location.any(axis=1)).tolist())
        return [bone, *takewhile(lambda link: link not in shared, above)]

    def effector_bones(self, ob: Object) -> list[PoseBone]:
        """Return the effectors' bones in the armature object."""
        bones = ob.pose.bones
        return [bones[index] for index in self.indices[self.places].tolist()]

    def bones_above(self, ob: Object) -> list[PoseBone]:
        """Return the bones of the armature object that carry the roots."""
        hung = (ob.pose.bones[index] for index in self.carriers[self.parents < 0].tolist() if index >= 0)
        return [link for bone in hung for link in (bone, *bone.parent_recursive)]

    def is_of(self, ob: Object) -> bool:
        """Return whether the armature object has these bones in these places still."""
        bones, last = ob.pose.bones, max(self.indices.max(), self.carriers.max())
        return len(bones) > last and all(
            bones[int(index)].name == name for index, name in zip(self.indices, self.names, strict=True)
        )
