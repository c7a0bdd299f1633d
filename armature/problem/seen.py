# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender shows of a solution: what is left between effectors and targets, and what is not as it was
solved.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...solvers import Skeleton, Solution, Targets, forward
from ...solvers.geometry import Array, matrix_to_quaternion, norm, quaternion_to_matrix
from ...solvers.goals import effectors_left, goals_left
from ..frames.frame_snapshot import FrameSnapshot, column
from ..frames.sight import Sight
from ..rig.mirrors import shown_from_solved, shown_rotation
from ..rig.rig import Rig
from .goals import goals_of
from .soles import goals_of_soles
from .stacking import measured, world_lengths
from .targets import effector_points, effector_signs, places_wanted


@dataclass(frozen=True, eq=False)
class Seen:
    """A solution of ``frames`` beside what ``sights`` show of it, one for each frame.

    Everything is told in the space that the armature had in the frames. What is left, and strays, are pairs
    of lengths and angles (frames, effectors): scene units, radians.
    """

    rig: Rig
    frames: Sequence[FrameSnapshot]
    sights: Sequence[Sight]
    skeleton: Skeleton
    solution: Solution

    @cached_property
    def shown(self) -> list[FrameSnapshot]:
        """What is shown, as frames in which the armature has not moved."""
        return [
            replace(sight.frame, matrices=_moved(frame, sight) @ sight.frame.matrices)
            for frame, sight in zip(self.frames, self.sights, strict=True)
        ]

    @cached_property
    def left(self) -> tuple[Array, Array]:
        """What is left as it is shown, of the worse where a control drives a joint."""
        lengths, angles = effectors_left(self.rig.effectors, self._wanted_as_shown, *self._places)
        points, turns = self._places
        driven, _ = effectors_left(self.rig.effectors, self._wanted_as_shown, points + self._lags, turns)
        return self._world(np.maximum(lengths, driven)), angles

    @cached_property
    def goals_left(self) -> tuple[Array, Array]:
        """What is left of the goals besides effectors, and then of soles, as it is shown: (frames, goals)."""
        asked = self.rig, self._asked, *self._before, self._wanted_as_shown
        goals = *goals_of(*asked), *goals_of_soles(*asked)
        lengths, angles = goals_left(goals, self.rig.rows_by_name, *measured(self.rig, self.shown))
        return self._world(lengths), angles

    @cached_property
    def strays(self) -> tuple[Array, Array]:
        """How far effectors are shown from where they were solved to be."""
        return self._apart(self._solved, self._places)

    @cached_property
    def target_strays(self) -> tuple[Array, Array]:
        """How far targets are shown from where they were when the frames were read."""
        targets = self._wanted, self._wanted_as_shown
        return self._apart(*((each.positions, quaternion_to_matrix(each.rotations)) for each in targets))

    @cached_property
    def lags(self) -> Array:
        """How far the joints that controls drive are shown from where the controls have them."""
        return self._world(norm(self._lags))

    def first_astray(self, row: int, effector: int, length: float, angle: float) -> str:
        """Return the first bone on the way to the effector that is shown elsewhere than solved, if any is."""
        lengths, angles = self._bones_astray(row)
        way_down = reversed(self.rig.way_up(int(self.rig.places[effector])))
        astray = (bone for bone in way_down if lengths[bone] > length or angles[bone] > angle)
        return next((self.rig.names[bone] for bone in astray), "")

    @cached_property
    def _before(self) -> tuple[Array, Array]:
        return measured(self.rig, self.frames)

    @cached_property
    def _asked(self) -> list[FrameSnapshot]:
        """The frames with what is asked as it is shown."""
        return [frame.asked_as(sight.frame) for frame, sight in zip(self.frames, self.sights, strict=True)]

    @cached_property
    def _wanted(self) -> Targets:
        """Where targets were when the frames were read."""
        return places_wanted(self.rig, self.frames, *self._before)

    @cached_property
    def _wanted_as_shown(self) -> Targets:
        return places_wanted(self.rig, self._asked, *self._before)

    @cached_property
    def _after(self) -> tuple[Array, Array]:
        return forward(self.skeleton, self.solution.pose)

    @cached_property
    def _solved(self) -> tuple[Array, Array]:
        """Points and rotations of the effectors as they were solved to be."""
        points = effector_points(self.rig, self._wanted.offsets, *self._after)
        return points, self._after[0][:, self.rig.places]

    @cached_property
    def _places(self) -> tuple[Array, Array]:
        """Points and rotations of the effectors as they are shown."""
        matrices = column(self.shown, "matrices")
        signs = shown_from_solved(effector_signs(self.rig, self.frames))
        turns = np.array(self._after[0])
        turns[:, self.rig.places] = shown_rotation(matrices[:, self.rig.places, :3, :3]) * signs[..., None, :]
        points = effector_points(self.rig, self._wanted_as_shown.offsets, turns, matrices[..., :3, 3])
        return points, turns[:, self.rig.places]

    @property
    def _lags(self) -> Array:
        pairs = zip(self.frames, self.sights, strict=True)
        return np.stack([sight.lags @ _moved(frame, sight)[:3, :3].T for frame, sight in pairs])

    def _apart(self, a: tuple[Array, Array], b: tuple[Array, Array]) -> tuple[Array, Array]:
        """Return how far the points and rotations ``b`` are from ``a``, as far as they count."""
        targets = Targets(a[0], matrix_to_quaternion(a[1]), self._wanted.axes, self._wanted.weights)
        lengths, angles = effectors_left(self.rig.effectors, targets, *b)
        return self._world(lengths), angles

    def _world(self, lengths: Array) -> Array:
        return world_lengths(self.frames, lengths)

    def _bones_astray(self, row: int) -> tuple[Array, Array]:
        """Return how far each bone (bones,) is shown from where it was solved to be, in one row.

        The ends of axes of length 1 tell how much a bone is turned, in radians, or scaled.
        """
        before, _ = self._before
        turns, heads = self._after
        solved = turns[row] @ before[row].swapaxes(-1, -2) @ self.frames[row].matrices[:, :3, :3]
        shown = self.shown[row].matrices
        lengths = world_lengths([self.frames[row]], norm(shown[:, :3, 3] - heads[row])[None])[0]
        apart = np.linalg.norm(shown[:, :3, :3] - solved, axis=-2) / np.linalg.norm(solved, axis=-2)
        return lengths, apart.max(axis=-1)


def _moved(frame: FrameSnapshot, sight: Sight) -> Array:
    """Return where the armature is shown in its own space as it was in the frame (4, 4)."""
    return np.linalg.solve(frame.armature_to_world, sight.frame.armature_to_world)
