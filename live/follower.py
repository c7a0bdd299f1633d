# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""An armature that follows its targets, as they are dragged and as frames go by."""

from collections.abc import Sequence
from dataclasses import dataclass

from bpy.types import Depsgraph, Object, Scene

from ..armature import (
    Frame,
    Rig,
    Seen,
    Sight,
    is_plain,
    present_frame,
    present_sight,
    read_frame,
    read_rig,
    settings_of,
    stack,
    write_channels,
    write_pose,
)
from ..outcomes import outcome_of, store, strays_text, summary
from ..solvers import Settings, Skeleton, Solution, solve
from .drag import Drag
from .wanted import Wanted, wanted_of


@dataclass(frozen=True, eq=False)
class Request:
    """What an armature looks like, and what is asked of it."""

    rig: Rig
    settings: Settings
    frame: Frame
    wanted: Wanted


@dataclass(frozen=True, eq=False)
class Found:
    """A pose that was written, and from what: until Blender shows it only the solver can be asked."""

    rig: Rig
    frame: Frame
    skeleton: Skeleton
    solution: Solution


@dataclass(eq=False)
class Follower:
    """What is known of one armature: its ``rig``, what was ``wanted`` of it last, the pose that was ``left``,
    the ``drag`` under way, the pose of the present frame ``before`` it was solved, and what was ``found`` and
    written but not looked at since.

    What the pose was found for is stored with the armature too: after undo, or in another session, a pose
    that has been found is not sought again. Methods raise RigError or SolverError before they write.
    """

    rig: Rig | None = None
    wanted: Wanted | None = None
    left: Frame | None = None
    drag: Drag | None = None
    before: Frame | None = None
    found: Found | None = None

    def follow(self, scene: Scene, ob: Object, depsgraph: Depsgraph) -> bool:
        """Pose the armature if its targets have been moved; return whether they had."""
        request = _read(ob, depsgraph)
        if _is_found(ob, request):
            if not self._is_as_left(request.frame):  # posed by hand: here the next drag begins
                self._leave(ob, request)
            return False
        drag = self._drag(request)
        is_back = drag.wanted == request.wanted
        if is_back:
            drag.pose = None
        found = Found(request.rig, *drag.solve(request.rig, request.frame, request.settings))
        if is_back:
            write_channels(request.rig, ob, drag.begin)
        else:
            write_pose(request.rig, ob, found.solution.pose)
        self._leave(ob, request, drag=drag, found=found)
        ob.superpose.followed = request.wanted.digest
        _report(scene, ob, found)
        return True

    def enter_frame(self, scene: Scene, ob: Object, depsgraph: Depsgraph) -> bool:
        """Pose the armature as a bake would in this frame; return whether it had to be."""
        request = _read(ob, depsgraph)
        if _is_found(ob, request):
            if self._is_as_left(request.frame):
                return False
            if self.before is not None and self.before.has_pose_of(request.frame):
                write_channels(request.rig, ob, self.left)
                return True
        skeleton, pose, targets = stack(request.rig, [request.frame])
        solution = solve(skeleton, pose, request.rig.effectors, targets, request.settings)
        write_pose(request.rig, ob, solution.pose)
        found = Found(request.rig, request.frame, skeleton, solution)
        self._leave(ob, request, before=request.frame, found=found)
        ob.superpose.followed = request.wanted.digest
        _report(scene, ob, found)
        return True

    def has_to_look(self, ob: Object) -> bool:
        """Return whether a pose has been written of which Blender may show something else."""
        if self.found is not None and is_plain(ob):
            self.found = None
        return self.found is not None

    def look(self, scene: Scene, ob: Object, depsgraph: Depsgraph) -> None:
        """Say what Blender shows of the pose that was written, which is evaluated."""
        found, self.found = self.found, None
        _report(scene, ob, found, [present_sight(depsgraph, found.rig, ob)])

    def leave_frame(self, ob: Object) -> None:
        """Take back what was solved for the present frame alone, so that the next does not depend on it."""
        if self.before is None or not self.rig.is_of(ob):  # Edit Mode, or other data
            return
        if self._is_as_left(present_frame(self.rig, ob)):
            write_channels(self.rig, ob, self.before)

    def _is_as_left(self, frame: Frame) -> bool:
        return self.left is not None and self.left.has_pose_of(frame)

    def _drag(self, request: Request) -> Drag:
        """Return the drag that goes on, or the one that begins."""
        is_as_left = self._is_as_left(request.frame)
        if self.drag and is_as_left and self.drag.goes_on(self.wanted, request.wanted):
            return self.drag
        return Drag(
            request.frame, self.wanted if is_as_left else None, request.wanted.moved_since(self.wanted)
        )

    def _leave(
        self,
        ob: Object,
        request: Request,
        drag: Drag | None = None,
        before: Frame | None = None,
        found: Found | None = None,
    ) -> None:
        self.rig, self.wanted, self.left = request.rig, request.wanted, present_frame(request.rig, ob)
        self.drag, self.before, self.found = drag, before, found


def _read(ob: Object, depsgraph: Depsgraph) -> Request:
    rig, settings = read_rig(ob), settings_of(ob)
    frame = read_frame(rig, ob, depsgraph)
    return Request(rig, settings, frame, wanted_of(rig, ob, frame, settings))


def _is_found(ob: Object, request: Request) -> bool:
    return ob.superpose.followed == request.wanted.digest


def _report(scene: Scene, ob: Object, found: Found, sights: Sequence[Sight] = ()) -> None:
    asked = found.rig, [found.frame]
    solved = found.skeleton, found.solution
    outcome = outcome_of(*asked, *solved, Seen(*asked, sights, *solved) if sights else None)
    strays = strays_text(scene, ob, found.rig, (), outcome.strays)
    store(scene, ob, found.rig, outcome, summary(scene, outcome), strays=strays)
