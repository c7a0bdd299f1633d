# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""An armature that follows its targets, as they are dragged and as frames go by."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Depsgraph, Object, Scene

from ..armature import (
    AS_POSED,
    Batch,
    DrivenJoint,
    FrameSnapshot,
    Seen,
    Sight,
    carry_targets,
    driven_joints,
    has_other_handlers,
    is_plain,
    keyed_pins,
    present_frame,
    present_sight,
    shows_keys,
    write_channels,
    write_pose,
)
from ..dragging import Drag, Found, HandEdit, edited_bones, held_in_place
from ..reports import complete_stand, report_of, store, strays_text, summary, take_up_targets
from ..solvers import solve_in_parts
from ..solvers.pauses import finished
from .build import build_of, from_text, is_same_build, to_text
from .notes import drag_notes
from .reading import Reading, read
from .targets import carry_along, carry_to_pose
from .trail import Trail, slowed
from .wanted import Wanted


@dataclass(eq=False)
class Follower:
    """What is known of one armature: the ``last`` reading, the pose that was ``left``, the ``drag`` under way
    and what the pose ``began`` from was found for, if it was, the pose of the present frame ``before`` it was
    solved, and what was ``found`` and written but not looked at since; ``is_edited``: something has happened
    since it was last read that may be more than targets that move; ``is_plain``: what is solved is what
    Blender will show, and ``joints``: those that effectors drive, if these are known; ``is_hasty``: the pose
    was found in haste, and ``is_resting``: for what is asked now there is time; ``edit``: what the user poses
    by hand; ``has_carried``: targets have been put along with the pose and not been read since;
    ``is_restored``: what is there comes from undo, redo or a file, and nobody has posed it; ``trail``: what
    slow bones come after.

    What the pose was found for is stored with the armature too, and how its bones hung together: after undo,
    or in another session, a pose that has been found is not sought again. Methods raise RigError or
    SolverError before they write.
    """

    last: Reading | None = None
    left: FrameSnapshot | None = None
    drag: Drag | None = None
    began: Wanted | None = None
    before: FrameSnapshot | None = None
    found: Found | None = None
    is_edited: bool = True
    is_plain: bool | None = None
    joints: tuple[DrivenJoint | None, ...] | None = None
    is_hasty: bool = False
    is_resting: bool = False
    edit: HandEdit | None = None
    has_carried: bool = False
    is_restored: bool = False
    trail: Trail | None = None

    def follow(self, scene: Scene, ob: Object, depsgraph: Depsgraph, in_haste: bool = False) -> bool:
        """Pose the armature if its targets or its build have changed; return whether they had.

        Posed by hand it stays, whatever that does to its build. While one drag goes on only targets are read.
        ``in_haste``: more moves will follow; what is found in haste is refined once there is time.
        """
        self._take_up_targets(ob, depsgraph)
        reading = self._moved_on(ob, depsgraph)
        if reading is None:
            reading = self._read(ob, depsgraph)
            is_as_left, is_built = self._is_as_left(reading.frame), _is_built(ob, reading)
            is_posed_by_hand = self.left is not None and not is_as_left
            is_found = _is_found(ob, reading.wanted) and (is_posed_by_hand or is_built)
            if is_found or ob.superpose.followed == AS_POSED:
                return self._stay(scene, ob, reading, in_haste)
            if self.left is None:  # switched on, or let in again after a refusal
                self._enter(scene, ob, reading)
                return True
            self._drag_on(reading, is_built and is_as_left)
        self._move(scene, ob, reading, in_haste)
        return True

    def _read(self, ob: Object, depsgraph: Depsgraph) -> Reading:
        self.is_edited, self.is_plain, self.joints = False, None, None
        return read(ob, depsgraph)

    def _take_up_edit(self, ob: Object, reading: Reading) -> bool:
        """Let pins hold below bones that were posed by hand and other targets go along; return whether any.

        Here the next drag begins. Put back by hand, all is as it was.
        """
        rig, edit, found, has_carried = reading.rig, self._edit(reading.frame), None, False
        along = edit.going_along(rig) if edit else frozenset()
        is_back = edit is not None and edit.is_back(reading.frame)
        if is_back:
            write_channels(rig, ob, edit.begin)
            has_carried = carry_targets(rig, ob, along, edit.begin.targets)
        elif edit:
            found = edit.held(rig, reading.settings, reading.frame)
            if found:
                write_pose(found.rig, ob, found.solution.pose)
                has_carried = carry_along(ob, along, found)
            else:
                posed = reading.batch.skeleton, reading.batch.pose
                has_carried = carry_to_pose(rig, ob, along, reading.frame, *posed)
        self._leave(ob, reading)
        self.edit, self.has_carried = edit, has_carried
        _remember(ob, reading.wanted, reading.batch)
        return is_back or found is not None or has_carried

    def _edit(self, now: FrameSnapshot) -> HandEdit | None:
        """Return the edit by hand that goes on, or that begins; None where nothing was left here before."""
        if self.left is None or self.is_restored:
            return None
        if self.edit and self.edit.goes_on(self.left, now):
            return self.edit
        begin = replace(self.left, targets=self.last.frame.targets)
        return HandEdit(begin, edited_bones(self.left, now))

    def _take_up_targets(self, ob: Object, depsgraph: Depsgraph) -> None:
        """Read where targets are that have gone along and are evaluated: the pose is found for these."""
        if not self.has_carried:
            return
        self.has_carried, reading = False, self.last.moved_on(ob, depsgraph)
        if reading is None:  # a setting has been edited too: all is read anew
            return
        self.last = reading
        _remember(ob, reading.wanted, reading.batch)
        take_up_targets(ob)

    def _moved_on(self, ob: Object, depsgraph: Depsgraph) -> Reading | None:
        """Return what is asked where nothing but the targets of the present drag have moved, or None."""
        if self.is_edited or self.drag is None or has_other_handlers() or not _is_found(ob, self.last.wanted):
            return None
        reading = self.last.moved_on(ob, depsgraph)
        goes_on = reading and self._is_as_left(reading.frame) and self._goes_on(reading.wanted)
        return reading if goes_on else None

    def _stay(self, scene: Scene, ob: Object, reading: Reading, in_haste: bool) -> bool:
        """Leave the pose as it is, or refine what was found in haste if there is time; return whether."""
        if not self._is_as_left(reading.frame):
            return self._take_up_edit(ob, reading)
        if self.is_hasty and (self.is_resting or not in_haste):
            found = self.drag.rest()
            write_channels(reading.rig, ob, self.drag.begin)  # channels go on from there, to the bit
            write_pose(reading.rig, ob, found.solution.pose)
            self._went_on(scene, ob, reading, found, carry_along(ob, self.drag.along, found))
            return True
        complete_stand(ob)
        self.is_restored = False
        return False

    def _move(self, scene: Scene, ob: Object, reading: Reading, in_haste: bool) -> None:
        """Pose the armature as the drag under way has it; back where that began, as it was."""
        is_back = reading.wanted.is_again(self.began, self.drag.along)
        if is_back:
            self.drag.pose = None
        found = self.drag.solve(reading.frame, in_haste)
        if is_back:
            write_channels(reading.rig, ob, self.drag.begin)
            has_carried = carry_targets(reading.rig, ob, self.drag.along, self.drag.begin.targets)
        else:
            write_pose(reading.rig, ob, found.solution.pose)
            has_carried = carry_along(ob, self.drag.along, found)
        self._went_on(scene, ob, reading, found, has_carried, in_haste and not is_back)

    def _went_on(
        self,
        scene: Scene,
        ob: Object,
        reading: Reading,
        found: Found,
        has_carried: bool,
        is_hasty: bool = False,
    ) -> None:
        """Keep in mind, and say, what the drag under way has found and has been written."""
        drag, began = self.drag, self.began
        self._leave(ob, reading, found=found)
        self.drag, self.began, self.has_carried, self.is_hasty = drag, began, has_carried, is_hasty
        _remember(ob, reading.wanted, reading.batch)
        if self.is_plain is not False:  # else it is looked at in a moment
            _report(scene, ob, found, notes=drag_notes(scene, drag))

    def enter_frame(self, scene: Scene, ob: Object, depsgraph: Depsgraph) -> bool:
        """Pose the armature as a bake would in this frame; return whether it had to be.

        Where keys pose the body and nothing moves its targets these go with the keys instead, and between
        keys pins stand.
        """
        reading = self._read(ob, depsgraph)
        if shows_keys(reading.rig, ob):
            return self._keep_keys(scene, ob, reading)
        is_slow = reading.rig.speeds.any()  # what is found depends on the frame before
        if not is_slow and _is_found(ob, reading.wanted) and _is_built(ob, reading):
            if self._is_as_left(reading.frame):
                return False
            if self.before is not None and self.before.has_pose_of(reading.frame):
                write_channels(reading.rig, ob, self.left)
                return True
        self._enter(scene, ob, reading)
        return True

    def _keep_keys(self, scene: Scene, ob: Object, reading: Reading) -> bool:
        """Leave the frame's own pose, but for pins that stand between keys, and bring targets there; return
        whether there are any of either.
        """
        rig, frame, found = reading.rig, reading.frame, None
        posed = reading.batch.skeleton, reading.batch.pose
        places = keyed_pins(rig, ob).standing(frame, scene.frame_current_final)
        if places:
            asked, (held,), *solved = held_in_place(rig, reading.settings, [frame], [places])
            found = Found(asked, held, *solved)
            posed = found.skeleton, found.solution.pose
            write_pose(rig, ob, found.solution.pose)
        has_carried = carry_to_pose(rig, ob, range(len(rig.effectors)), frame, *posed)
        self._leave(ob, reading, before=frame if found else None, found=found)
        self.has_carried = has_carried
        _remember(ob, reading.wanted, reading.batch)
        if found:
            _report(scene, ob, found)
        return has_carried or found is not None

    def _enter(self, scene: Scene, ob: Object, reading: Reading) -> None:
        batch = reading.batch
        request = batch.request_in([reading.frame], reading.settings)
        solution = finished(solve_in_parts(request))
        solution, self.trail = slowed(scene, reading.rig, self.trail, request, solution)
        write_pose(reading.rig, ob, solution.pose)
        found = Found(reading.rig, reading.frame, batch.skeleton, solution)
        self._leave(ob, reading, before=reading.frame, found=found)
        _remember(ob, reading.wanted, reading.batch)
        _report(scene, ob, found)

    def has_to_look(self, ob: Object, is_settled: bool) -> bool:
        """Return whether a pose has been written of which Blender may show something else."""
        if self.is_plain is None:
            self.is_plain = is_plain(ob)
        if is_settled and self.is_plain:
            self.found = None
        return self.found is not None or self.has_carried

    def look(self, scene: Scene, ob: Object, depsgraph: Depsgraph) -> bool:
        """Say what Blender shows of the pose that was written, which is evaluated; return True.

        Where bones are placed by what the pose moves, the build is another by it: that counts as found.
        """
        self._take_up_targets(ob, depsgraph)
        found, self.found = self.found, None
        if found is None:
            return True
        if self.joints is None:
            self.joints = driven_joints(found.rig, ob)
        sight = present_sight(depsgraph, found.rig, ob, self.joints)
        _report(scene, ob, found, [sight], drag_notes(scene, self.drag) if self.drag else ())
        _remember(ob, self.last.wanted, Batch(found.rig, [sight.frame]))
        return True

    def leave_frame(self, ob: Object) -> None:
        """Take back what was solved for the present frame alone, so that the next does not depend on it."""
        if self.before is None or not self.last.rig.is_of(ob):  # Edit Mode, or other data
            return
        if self._is_as_left(present_frame(self.last.rig, ob)):
            write_channels(self.last.rig, ob, self.before)

    def _is_as_left(self, frame: FrameSnapshot) -> bool:
        return self.left is not None and self.left.has_pose_of(frame)

    def _drag_on(self, reading: Reading, is_as_left: bool) -> None:
        """Go on with the drag under way, or begin one."""
        if self.drag is not None and is_as_left and self._goes_on(reading.wanted):
            return
        before = None if self.last is None else self.last.wanted
        moved = reading.wanted.moved_since(before)
        if self.drag is not None and reading.wanted.is_edited_since(before):
            moved = self.drag.moved  # as where a pin is released: what was dragged comes first still
        begin = reading.frame
        if before is not None and reading.wanted.terms == before.terms:
            begin = replace(begin, targets=self.last.frame.targets)
        self.drag = Drag(reading.rig, reading.settings, begin, moved)
        self.began = before if is_as_left else None

    def _goes_on(self, wanted: Wanted) -> bool:
        """Return whether this is one more move of what is dragged."""
        before = self.last.wanted
        return wanted.terms == before.terms and wanted.moved_since(before) == self.drag.moved

    def _leave(
        self,
        ob: Object,
        reading: Reading,
        before: FrameSnapshot | None = None,
        found: Found | None = None,
    ) -> None:
        """Keep in mind how the armature is left, with no drag under way."""
        self.last, self.left = reading, present_frame(reading.rig, ob)
        self.drag, self.began, self.before, self.found = None, None, before, found
        self.is_hasty = self.is_resting = False
        self.edit, self.has_carried, self.is_restored = None, False, False


def _remember(ob: Object, wanted: Wanted, batch: Batch) -> None:
    """Store what a pose has been found for."""
    ob.superpose.followed = f"{wanted.digest}|{to_text(build_of(batch))}"


def _is_found(ob: Object, wanted: Wanted) -> bool:
    return ob.superpose.followed.partition("|")[0] == wanted.digest


def _is_built(ob: Object, reading: Reading) -> bool:
    """Return whether the bones hang together as when a pose was last found."""
    before = from_text(ob.superpose.followed.partition("|")[2])
    farthest = np.abs(reading.frame.matrices[:, :3, 3]).max()
    return is_same_build(before, build_of(reading.batch), farthest)


def _report(
    scene: Scene, ob: Object, found: Found, sights: Sequence[Sight] = (), notes: Sequence[str] = ()
) -> None:
    asked = found.rig, [found.frame]
    solved = found.skeleton, found.solution
    report = report_of(*asked, *solved, Seen(*asked, sights, *solved) if sights else None)
    strays = strays_text(scene, ob, found.rig, (), report.strays)
    message, is_evaluated = summary(scene, report), bool(sights)
    said = {"strays": strays, "notes": notes, "is_evaluated": is_evaluated}
    store(scene, ob, found.rig, report, message, **said)
