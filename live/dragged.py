# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A drag of targets that a live armature follows, for as long as it goes on."""

from collections.abc import Set
from dataclasses import dataclass, replace

from bpy.types import Object

from ..armature import (
    FrameSnapshot,
    Rig,
    RigError,
    carry_targets,
    places_in_pose,
    write_channels,
    write_pose,
)
from ..armature.problem.spaces import mean_scale
from ..armature.problem.wanted import Wanted
from ..dragging import Drag, Found
from ..solvers import Effector, SolverError
from ..solvers.geometry import norm
from .carrying import carry_along
from .left import Left
from .reading import Reading

# The share of its weights by which what goes with the body in frames stays where a drag began: without any
# the least comfort would have the hips wander.
_LOOSE = 1e-3
_FAR = 0.1  # as a share of the extent: what is farther off its target has given way by much


@dataclass(eq=False)
class Dragged:
    """``began``: what the pose that the ``drag`` began from was found for, if it was; ``is_hasty``: the pose
    was found in haste, and ``is_resting``: for what is asked now there is time.

    What poses the armature returns what was found, and whether targets have been put along with the pose.
    It raises RigError or SolverError before it writes.
    """

    drag: Drag
    began: Wanted | None
    is_hasty: bool = False
    is_resting: bool = False

    def goes_on(self, before: Reading, now: Reading) -> bool:
        """Return whether this is one more move, after what was read ``before``, of what is dragged.

        Bones and targets are called as when it began.
        """
        rig, began = now.rig, self.drag.rig
        is_same = (rig.names, rig.targets) == (began.names, began.targets)
        is_same = is_same and now.wanted.terms == before.wanted.terms
        return is_same and now.wanted.moved_since(before.wanted) == self.drag.moved

    def move(self, ob: Object, reading: Reading, in_haste: bool, seconds: float) -> tuple[Found, bool]:
        """Pose the armature as the drag has it, or has it past so many ``seconds``; back where it
        began, as it was.
        """
        rig, drag = reading.rig, self.drag
        is_back = reading.wanted.is_again(self.began, drag.along)
        if is_back:
            drag.pose = None
        found = drag.follow(reading.frame, seconds) if in_haste else drag.solve(reading.frame)
        self.is_hasty, self.is_resting = in_haste and not is_back, False
        if is_back:
            write_channels(rig, ob, drag.begin)
            found = self._as_it_began(reading).as_it_stands(ob)
            return found, carry_targets(rig, ob, drag.along, drag.begin.targets)
        return self._in_haste(ob, reading, found)

    def rest(self, seconds: float) -> bool:
        """Seek the pose that there is time for, for so many ``seconds``; return whether that is over."""
        try:
            self.is_resting = self.drag.rest(seconds) is not None
        except (RigError, SolverError):  # ``refine`` meets it again, where it is told
            self.is_resting = True
        return self.is_resting

    @property
    def is_ahead(self) -> bool:
        """Whether something better has been found at rest than the armature is posed as."""
        return self.is_resting or self.drag.caught_up is not None

    def refine(self, ob: Object, reading: Reading, in_haste: bool) -> tuple[Found, bool]:
        """Pose the armature as the drag has it, if there is time; ``in_haste``: as far as that has come."""
        caught_up, self.drag.caught_up = self.drag.caught_up, None
        if in_haste and not self.is_resting:
            return self._in_haste(ob, reading, caught_up)
        found = self.drag.rest()
        self.is_hasty, self.is_resting = False, False
        write_channels(reading.rig, ob, self.drag.begin)  # channels go on from there, to the bit
        write_pose(reading.rig, ob, found.solution.pose)
        return found, carry_along(ob, self.drag.along, found)

    def _as_it_began(self, reading: Reading) -> Reading:
        """Return the reading with the pose that the drag began from, and with what goes along put back."""
        begin, now, along = self.drag.begin, reading.frame, list(self.drag.along)
        targets = now.targets.copy()
        targets[along] = begin.targets[along]
        frame = replace(begin.asked_as(now), targets=targets, armature_to_world=now.armature_to_world)
        return replace(reading, frame=frame)

    def _in_haste(self, ob: Object, reading: Reading, found: Found) -> tuple[Found, bool]:
        write_pose(reading.rig, ob, found.solution.pose, reading.frame)
        return found, carry_along(ob, self.drag.along, found)


def begun(reading: Reading, left: Left | None, is_as_left: bool, dragged: Dragged | None) -> Dragged:
    """Return the drag that begins with a reading, as the armature was ``left``, after what was ``dragged``.

    ``is_as_left``: the pose is what was found for the last reading. Where nothing but terms differ, as
    weights, it begins where the last one did; with what goes along with the body, or no longer does, and with
    bones that are turned in another mode, here. What was dragged comes first still, as where a pin is
    released, also what Pose Body has dragged.
    """
    last = None if left is None else left.reading
    before = None if last is None else last.wanted
    moved, begin = reading.wanted.moved_since(before), reading.frame
    is_only_edited = before is not None and reading.wanted.is_edited_since(before)
    if dragged is not None and is_only_edited:
        moved = dragged.drag.moved
        is_alike = (last.rig.parts, last.rig.modes) == (reading.rig.parts, reading.rig.modes)
        if is_as_left and is_alike:
            began = dragged.drag.begin  # there, too, for what follows to be as if it had been so
            begin = replace(began.asked_as(reading.frame), targets=began.targets)
    elif is_only_edited and left.dragged:
        moved = reading.rig.rows_of(left.dragged)
    elif before is not None and reading.wanted.terms == before.terms:
        begin = replace(begin, targets=last.frame.targets)
    is_edited = before is None or reading.wanted.terms != before.terms
    is_anew = is_edited and len(moved) == len(reading.wanted.places)  # as a solve has it
    rig = reading.rig if is_anew else _as_dragged(reading, begin, moved)
    return Dragged(Drag(rig, reading.settings, begin, moved), before if is_as_left else None)


def _as_dragged(reading: Reading, begin: FrameSnapshot, moved: Set[int]) -> Rig:
    """Return the rig in which all effectors are asked for while those of the rows ``moved`` are moved.

    What takes no part in frames, where nobody has keyed the pose, hardly stays where the drag began if it
    may keep others from coming back: the frame will have it go with the body.
    """
    rig, listed = reading.rig, reading.rig.as_listed
    loose = rig.along - moved
    if rig.is_keyed or not (loose and _has_given_way(reading, begin, moved)):
        return listed
    effectors = (_loosened(one) if row in loose else one for row, one in enumerate(listed.effectors))
    return replace(listed, effectors=tuple(effectors))


def _has_given_way(reading: Reading, begin: FrameSnapshot, moved: Set[int]) -> bool:
    """Return whether anything that follows, and is not moved, is far off its target where the drag begins."""
    rig = reading.rig
    places = places_in_pose(rig, begin, reading.batch.skeleton, reading.batch.pose)
    off = norm(places[:, :3, 3] - begin.targets[:, :3, 3])
    far = _FAR * begin.extent * mean_scale(begin.armature_to_world)
    follows = (row for row, part in enumerate(rig.parts) if part == 'FOLLOWS' and row not in moved)
    return any(off[row] > far and not rig.targetless[row] for row in follows)


def _loosened(effector: Effector) -> Effector:
    weights = {name: _LOOSE * getattr(effector, name) for name in ("position_weight", "rotation_weight")}
    return replace(effector, **weights)
