# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""An armature that follows its targets, as they are dragged and as frames go by."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import inf
from time import monotonic

from bpy.types import Context, Depsgraph, Object, Scene

from ..armature import (
    Batch,
    FrameSnapshot,
    Rig,
    Sight,
    carry_targets,
    dragged_bones,
    evaluate_again,
    has_other_handlers,
    is_as_posed,
    present_frame,
    present_pose,
    shows_keys,
    write_channels,
    write_pose,
)
from ..dragging import Found, HandEdit
from ..reports import (
    Report,
    complete_stand,
    is_outdated,
    renew_stand,
    report_of,
    store,
    summary,
    take_up_targets,
)
from .carrying import carry_along, carry_to_pose
from .dragged import Dragged, begun
from .frame_poses import held_between_keys, solved_at_once
from .left import Left
from .notes import drag_notes, stay_notes
from .reading import Reading, read
from .recorded import Grabbed, grabbed
from .remembered import is_built, is_found, remember
from .saved import Opened
from .trail import Trail
from .unseen import Unseen

_READ = 0.2  # seconds for which a report of what is found in haste stays: nobody reads faster


@dataclass(eq=False)
class Follower:
    """What is known of one armature.

    - ``left``: how it was left here last
    - ``dragged``: the drag that goes on, or else ``edit``: the edit by hand that goes on
    - ``unseen``: what has been written and not been looked at
    - ``trail``: what slow bones come after
    - ``is_edited``: since it was last read something has happened that may be more than targets that move
    - ``is_restored``: it comes from undo, redo or a file, and nobody has posed it since
    - ``opened``: what its pose was solved from in the file that it comes from, or before it could not be
      followed; until any frame is entered
    - ``has_carried``: targets have been put along and not been read since
    - ``told``: when the panel last got a report, seconds; None if all was read since
    - ``is_untold``: the panel has no report of the ``edit``
    - ``grabbed``: how it was when the user, who records, began to move something

    Methods raise RigError or SolverError before they write.
    """

    left: Left | None = None
    dragged: Dragged | None = None
    edit: HandEdit | None = None
    unseen: Unseen = field(default_factory=Unseen)
    trail: Trail | None = None
    is_edited: bool = True
    is_restored: bool = False
    opened: Opened | Left | None = None
    has_carried: bool = False
    told: float | None = None
    grabbed: Grabbed | None = None
    is_untold: bool = False

    @property
    def _is_known(self) -> bool:
        """Whether the armature was left here, and what differs since was posed."""
        return self.left is not None and not self.is_restored

    @property
    def is_hasty(self) -> bool:
        """Whether the pose was found in haste."""
        return self.dragged is not None and self.dragged.is_hasty

    def rest(self, seconds: float) -> bool:
        """Refine what was found in haste for so many ``seconds``; return whether that is done.

        What is found is shown when the armature is next followed.
        """
        return self.dragged.rest(seconds)

    def grab(self, scene: Scene, ob: Object) -> None:
        """Keep in mind how the armature was left, as the user moves something in a frame."""
        is_other = self.grabbed is None or self.grabbed.number != scene.frame_current_final
        if is_other and self.left is not None and self.left.reading.rig.is_of(ob):
            self.grabbed = grabbed(scene, self.left.reading.rig, ob, self.left.frame)

    def let_go(self, context: Context, ob: Object) -> bool:
        """Key what has changed since it was grabbed, in the same frame; return whether anything has."""
        began, self.grabbed = self.grabbed, None
        if began is None or self.left is None or began.number != context.scene.frame_current_final:
            return False
        rig = self.left.reading.rig
        if not (rig.is_of(ob) and began.key(context, rig, ob)):
            return False
        self.is_restored = True  # nobody has posed it, however keys round its channels
        return True

    def follow(
        self,
        scene: Scene,
        ob: Object,
        depsgraph: Depsgraph,
        in_haste: bool = False,
        seconds: float = inf,
    ) -> bool:
        """Pose the armature if its targets or its build have changed; return whether they had.

        A pose that was made by hand stays, whatever that does to the armature's build. While one drag goes on
        only targets are read. ``in_haste``: more moves will follow. What is found then, in so many
        ``seconds`` or little more, is refined once there is time.
        """
        self._take_up_targets(ob, depsgraph)
        reading = self._moved_on(ob, depsgraph, in_haste)
        if reading is None:
            self._take_up_unseen(ob)
            reading = self._read(ob, depsgraph)
            if is_as_posed(ob):
                self._leave(ob, reading)
                if is_outdated(ob):  # something else is held, in the same pose
                    self._report(scene, ob, reading.as_it_stands(ob))
                return False
            is_as_left, is_like_before = self._is_as_left(reading.frame), is_built(ob, reading)
            is_posed_by_hand = self.left is not None and not is_as_left
            if is_found(ob, reading.wanted) and (is_posed_by_hand or is_like_before):
                return self._stay(scene, ob, reading, in_haste)
            if self._is_known and self.left.is_carried_by_hand(ob, reading):
                return self._take_up_edit(ob, reading)
            if self.left is None:  # switched on, or let in again after a refusal
                self._solve(scene, ob, reading, keeps=True)
                return True
            self._drag_on(reading, is_like_before and is_as_left)
        self._went_on(scene, ob, reading, *self.dragged.move(ob, reading, in_haste, seconds))
        return True

    def _read(self, ob: Object, depsgraph: Depsgraph) -> Reading:
        self.is_edited, self.told = False, None
        self.unseen.forget_build()
        return read(ob, depsgraph)

    def _take_up_edit(self, ob: Object, reading: Reading) -> bool:
        """Take up what the user has posed by hand; return whether anything was written.

        Pins below the edited bones hold, other targets go along, and twist bones follow. If the bones were
        put back, all else goes back, too. The next drag begins here.
        """
        rig, found = reading.rig.as_listed, None
        edit = self.left.edited_to(reading, self.edit) if self._is_known else None
        has_carried = has_twisted = False
        along = edit.going_along(rig) if edit else frozenset()
        is_back = edit is not None and edit.is_back(rig, reading.frame)
        if is_back:
            write_channels(rig, ob, edit.begin)
            has_carried = carry_targets(rig, ob, along, edit.begin.targets)
        elif edit:
            found = edit.held(rig, reading.settings, reading.frame)
            if found:
                write_pose(found.rig, ob, found.solution.pose)
                has_carried = carry_along(ob, along, found)
            else:
                pose = edit.with_twists(reading.batch)
                has_twisted = bool(write_pose(rig, ob, pose))
                has_carried = carry_to_pose(rig, ob, along, reading.frame, reading.batch.skeleton, pose)
        self._leave(ob, reading, has_carried=has_carried)
        self.edit, self.is_untold = edit, edit is not None
        return is_back or found is not None or has_carried or has_twisted

    def _take_up_targets(self, ob: Object, depsgraph: Depsgraph) -> None:
        """Read where targets are that have gone along and are evaluated: the pose is found for these."""
        if not self.has_carried:
            return
        self.has_carried, reading = False, self.left.reading.moved_on(ob, depsgraph)
        if reading is None:  # a setting has been edited too: all is read anew
            return
        self.left = replace(self.left, reading=reading)
        remember(ob, reading.wanted, reading.batch)
        if self.told is not None:  # else the report is of another pose, or frame
            take_up_targets(ob)

    def _moved_on(self, ob: Object, depsgraph: Depsgraph, in_haste: bool) -> Reading | None:
        """Return what is asked if nothing but the targets of the present drag have moved, else None.

        While the mouse goes on dragging, only handlers of others can edit what Blender does not tell of.
        Before the drag began anything could.
        """
        if self.is_edited or self.dragged is None or has_other_handlers():
            return None
        last = self.left.reading
        goes_on_in_haste = in_haste and self.is_hasty
        reading = last.moved_on(ob, depsgraph, goes_on_in_haste) if is_found(ob, last.wanted) else None
        goes_on = reading and self._is_as_left(reading.frame) and self.dragged.goes_on(last, reading)
        return reading if goes_on else None

    def _stay(self, scene: Scene, ob: Object, reading: Reading, in_haste: bool) -> bool:
        """Leave the pose as it is, or refine what was found in haste if there is time; return whether."""
        if not self._is_as_left(reading.frame):
            is_of_keys = self._is_known and self.left.is_keyed_anew(scene, ob, reading)
            return self._keep_keys(scene, ob, reading) if is_of_keys else self._take_up_edit(ob, reading)
        if self.is_hasty and (self.dragged.is_ahead or not in_haste):
            self._went_on(scene, ob, reading, *self.dragged.refine(ob, reading, in_haste))
            return True
        complete_stand(ob)
        if reading.rig.names != self.left.reading.rig.names:
            self.left = replace(self.left, reading=reading)
        self.is_restored = False
        return False

    def _went_on(self, scene: Scene, ob: Object, reading: Reading, found: Found, has_carried: bool) -> None:
        """Keep in mind, and say, what the drag under way has found and has been written."""
        dragged = self.dragged
        if has_carried and self.unseen.is_plain:  # else where targets are now is read once it is evaluated
            carried = reading.carried_on(ob, dragged.drag.along)
            reading, has_carried = carried or reading, carried is None
        self._leave(ob, reading, found=found, has_carried=has_carried)
        self.dragged = dragged
        if self.unseen.is_plain is False and not self._looks_later:
            return  # it is looked at in a moment
        if self.is_hasty and self.told is not None and monotonic() < self.told + _READ:
            renew_stand(ob, found.rig)
        else:
            self._report(scene, ob, found, notes=drag_notes(dragged))

    def enter_frame(self, scene: Scene, ob: Object, depsgraph: Depsgraph) -> bool:
        """Pose the armature as a bake would in this frame; return whether it had to be.

        If keys pose the body and nothing moves its targets, the targets go with the keys instead, and pins
        stand between keys.
        """
        self.opened = None
        reading = self._read(ob, depsgraph)
        if shows_keys(reading.rig, ob):
            return self._keep_keys(scene, ob, reading)
        is_alike = self.left is None or self.left.reading.rig.parts == reading.rig.parts
        is_slow = reading.rig.speeds.any()  # what is found depends on the frame before
        if is_alike and not is_slow and is_found(ob, reading.wanted) and is_built(ob, reading):
            if self._is_as_left(reading.frame) and self.left.stays_in(scene, ob):
                return False
            before = self.left.before if self.left else None
            if before is not None and before.has_pose_of(reading.frame):
                write_channels(reading.rig, ob, self.left.frame)
                return True
        self._solve(scene, ob, reading)
        return True

    def is_outdated(self, ob: Object, depsgraph: Depsgraph) -> bool:
        """Return whether something else is asked than the pose was found for, or its bones hang together
        otherwise.
        """
        reading = self._read(ob, depsgraph)
        return not (is_found(ob, reading.wanted) and is_built(ob, reading))

    def _keep_keys(self, scene: Scene, ob: Object, reading: Reading) -> bool:
        """Leave the frame's own pose, but for pins that stand between keys, and bring targets there; return
        whether there are any of either.
        """
        rig, frame = reading.rig, reading.frame
        posed = reading.batch.skeleton, reading.batch.pose
        found = held_between_keys(reading, ob, scene.frame_current_final)
        if found:
            posed = found.skeleton, found.solution.pose
            write_pose(rig, ob, found.solution.pose)
        has_carried = carry_to_pose(rig, ob, range(len(rig.effectors)), frame, *posed)
        self._leave(ob, reading, before=frame if found else None, found=found, has_carried=has_carried)
        if found:
            self._report(scene, ob, found)
        return has_carried or found is not None

    def _solve(self, scene: Scene, ob: Object, reading: Reading, keeps: bool = False) -> None:
        """Pose the armature for all its targets at once; ``keeps``: a pose that is as near as can be stays.

        So does one that is keyed, as in a bake of frames on their own.
        """
        rig = reading.rig
        found, self.trail = solved_at_once(scene, reading, self.trail, keeps or rig.is_keyed)
        write_pose(rig, ob, found.solution.pose)
        has_carried = carry_along(ob, rig.along, found)
        self._leave(ob, reading, before=reading.frame, found=found, has_carried=has_carried)
        self._report(scene, ob, found)

    def take_up(self, _: Scene, ob: Object, depsgraph: Depsgraph) -> bool:
        """Count what the pose that was written has led to, and is evaluated, as found; return True."""
        self._take_up_targets(ob, depsgraph)
        self._take_up_unseen(ob)
        return True

    def has_to_look(self, ob: Object, is_settled: bool) -> bool:
        """Return whether a pose has been written of which Blender may show something else.

        To evaluate the scene once more may take longer than all else of a move. So in haste that waits until
        the mouse rests, once it was seen that what is shown is what was solved.
        """
        has_to_be_seen = self.unseen.has_to_be_seen(ob, is_settled)
        return self.has_carried or (has_to_be_seen and not (is_settled and self._looks_later))

    @property
    def _looks_later(self) -> bool:
        """Whether there is no need to look at the pose before it is refined."""
        is_as_before = self.unseen.is_as_solved and not has_other_handlers()
        return self.is_hasty and is_as_before and not self.has_carried

    def look(self, scene: Scene, ob: Object, depsgraph: Depsgraph) -> bool:
        """Say what Blender shows of the pose that was written, which is evaluated; return True."""
        self._take_up_targets(ob, depsgraph)
        seen = self.unseen.seen(ob, depsgraph)
        if seen is None:
            return True
        found, sight = seen
        report = self._report(scene, ob, found, [sight], drag_notes(self.dragged))
        self.unseen.is_as_solved = not report.strays
        self._take_up_build(ob, found.rig, sight.frame)
        return True

    def tell(self, scene: Scene, ob: Object, depsgraph: Depsgraph) -> bool:
        """Say how the pose stands that was edited by hand, if nobody has; return False: it stays."""
        if self.is_untold:
            evaluate_again(scene, depsgraph)
            now, self.is_untold = read(ob, depsgraph), False
            self._report(scene, ob, self.edit.stand(now.rig.as_listed, now.settings, now.frame))
        return False

    def _take_up_build(self, ob: Object, rig: Rig, frame: FrameSnapshot) -> None:
        """Count the build that the written pose has led to as found: what it moves may place other bones."""
        remember(ob, self.left.reading.wanted, Batch(rig, [frame]))

    def _take_up_unseen(self, ob: Object) -> None:
        """Take up the build of a pose that was not looked at, now that it is evaluated."""
        found = self.unseen.found
        if found is not None and found.rig.is_of(ob):
            self._take_up_build(ob, found.rig, present_frame(found.rig, ob))

    def leave_frame(self, ob: Object) -> None:
        """Take back what was solved for the present frame alone, so that the next does not depend on it."""
        if self.opened is not None:
            self.opened.take_back(ob)
        if self.left is not None:
            self.left.take_back(ob)

    def _is_as_left(self, frame: FrameSnapshot) -> bool:
        return self.left is not None and self.left.frame.has_pose_of(frame)

    def _drag_on(self, reading: Reading, is_as_left: bool) -> None:
        """Go on with the drag under way, or begin one."""
        if not (self.dragged and is_as_left and self.dragged.goes_on(self.left.reading, reading)):
            self.dragged = begun(reading, self.left, is_as_left, self.dragged)

    def _leave(
        self,
        ob: Object,
        reading: Reading,
        before: FrameSnapshot | None = None,
        found: Found | None = None,
        has_carried: bool = False,
    ) -> None:
        """Keep in mind how the armature is left, and for what, with no drag or edit under way."""
        self.left = Left(reading, present_pose(reading.frame, reading.rig, ob), before, dragged_bones(ob))
        self.unseen.found, self.has_carried = found, has_carried
        self.dragged, self.edit, self.is_restored, self.is_untold = None, None, False, False
        remember(ob, reading.wanted, reading.batch)

    def _report(
        self, scene: Scene, ob: Object, found: Found, sights: Sequence[Sight] = (), notes: Sequence[str] = ()
    ) -> Report:
        """Leave for the panel how what was found went, and return that.

        ``sights``: how it is shown, if that was looked at.
        """
        report = report_of(found.rig, [found.frame], found.skeleton, found.solution, sights)
        report = replace(report, in_haste=self.is_hasty)
        message, notes = summary(scene, report), (*notes, *stay_notes(ob, found))
        how = {"is_evaluated": bool(sights), "is_next": self.told is not None}
        store(scene, ob, found.rig, report, message, notes=notes, **how)
        self.told = monotonic()
        return report
