# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""All armatures that are live. They take steps until none of them moves what another one hangs on."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import bpy
from bpy.types import Depsgraph, Object, Scene

from ..armature import RigError, evaluate_again, is_kept
from ..reports import refuse
from ..solvers import SolverError
from .follower import Follower
from .left import Left
from .past import Past
from .saved import Opened

# What a follower does in the scene with its armature; it returns whether it has moved that.
Step = Callable[[Follower, Scene, Object, Depsgraph], bool]


@dataclass(eq=False)
class LiveArmatures:
    """What is known of each armature, by its id in this session, which outlives undo.

    ``followers``: what follows its targets. ``stepped``: how it was left when Blender last made a step of
    undo. ``past``: how it was left in frames before. ``is_at_work``: steps are being taken, so that what
    Blender tells of is what these do.
    """

    followers: dict[int, Follower] = field(default_factory=dict)
    stepped: dict[int, Left | None] = field(default_factory=dict)
    past: dict[int, Past] = field(default_factory=dict)
    is_at_work: bool = False

    def clear(self) -> None:
        """Forget all armatures."""
        for known in (self.followers, self.stepped, self.past):
            known.clear()

    def forget_deleted(self) -> bool:
        """Forget the armatures that are gone; return whether any is live still."""
        live = {ob.session_uid for ob in bpy.data.objects if ob.superpose_live}
        for uid in self.followers.keys() - live:
            del self.followers[uid]
            self.past.pop(uid, None)
        return bool(live)

    def followed(self) -> list[tuple[Object, Follower]]:
        """Return the armatures that have a follower, each with that."""
        return self._followed_of(bpy.data.objects)

    def _followed_of(self, objects: Iterable[Object]) -> list[tuple[Object, Follower]]:
        pairs = ((ob, self.followers.get(ob.session_uid)) for ob in objects)
        return [(ob, follower) for ob, follower in pairs if follower is not None]

    def read_anew(self) -> None:
        """Have every armature read as a whole next time, whether Blender tells of a change or not."""
        for follower in self.followers.values():
            follower.is_edited = True

    def take_as_restored(self) -> None:
        """Have every armature taken as it is: undo, redo or a file brought it back."""
        self.read_anew()
        for follower in self.followers.values():
            follower.is_restored, follower.grabbed = True, None

    def set_aside(self, ob: Object, known: Left | Opened | None) -> None:
        """Forget an armature that is away, or refused, but for how it was left.

        Once it can be followed again it is posed as if it had never been away.
        """
        self.stepped.pop(ob.session_uid, None)
        self.followers[ob.session_uid] = Follower(opened=known)

    def leave_frame(self, objects: Iterable[Object]) -> None:
        """Take back what was solved for the present frame alone, of all armatures that are switched on.

        Also of those that are baked: what is read must not depend on the present frame.
        """
        for ob, follower in self._followed_of(switched_on(objects)):
            self.past.setdefault(ob.session_uid, Past()).leave(ob, follower.left)
            follower.leave_frame(ob)

    def note_step(self) -> None:
        """Note how each armature is left as Blender makes a step of undo."""
        self.stepped.update((uid, follower.left) for uid, follower in self.followers.items())

    @property
    def has_posed(self) -> bool:
        """Whether any armature has been left anew since the last step of undo was noted."""
        return any(follower.left is not self.stepped.get(uid) for uid, follower in self.followers.items())

    def each(self, step: Step, again: Step, scene: Scene, depsgraph: Depsgraph) -> None:
        """Take a step with every live armature, and ``again`` with those that hang on one that has moved."""
        if self.is_at_work or depsgraph.mode == 'RENDER':
            return
        self.is_at_work = True
        try:
            rigs = [ob for ob in there(depsgraph) if not is_kept(ob)]
            if len(rigs) == 1:
                self._take(step, scene, *rigs, depsgraph)
            is_settled = len(rigs) == 1 or self._settle(rigs, step, again, scene, depsgraph)
            self._look(rigs, scene, depsgraph, is_settled)
        finally:
            self.is_at_work = False

    def _settle(
        self, rigs: list[Object], step: Step, again: Step, scene: Scene, depsgraph: Depsgraph
    ) -> bool:
        """Take steps until no armature moves what another hangs on; return whether it came to that."""
        for _ in rigs:
            self.read_anew()  # Blender does not tell what one of them moves of another
            moved = [ob for ob in rigs if self._take_evaluated(step, scene, ob, depsgraph)]
            if not moved:
                return True
            step = again
        return False

    def _take_evaluated(self, step: Step, scene: Scene, ob: Object, depsgraph: Depsgraph) -> bool:
        """Take a step and have it evaluated: what others move after it is then told from what it did."""
        has_moved = self._take(step, scene, ob, depsgraph)
        if has_moved:
            self._show([ob], scene, depsgraph)
            self._take(Follower.take_up, scene, ob, depsgraph)
        return has_moved

    def _take(self, step: Step, scene: Scene, ob: Object, depsgraph: Depsgraph) -> bool:
        """Take one step; where it is refused the panel says why, and the pose stays."""
        follower = self.followers.setdefault(ob.session_uid, Follower())
        known = follower.opened or follower.left
        try:
            return step(follower, scene, ob, depsgraph)
        except (RigError, SolverError) as error:
            self.set_aside(ob, known)
            refuse(ob, str(error))
            return False

    def _look(self, rigs: list[Object], scene: Scene, depsgraph: Depsgraph, is_settled: bool) -> None:
        """Let followers see what is shown of what they wrote: Blender evaluates it, but calls nobody then.

        ``is_settled``: none of them has moved what another had followed.
        """
        unseen = [ob for ob, follower in self._followed_of(rigs) if follower.has_to_look(ob, is_settled)]
        if unseen:
            self._show(unseen, scene, depsgraph)
        for ob in unseen:
            self._take(Follower.look, scene, ob, depsgraph)

    def _show(self, rigs: list[Object], scene: Scene, depsgraph: Depsgraph) -> None:
        """Have what was written to the armatures evaluated.

        While Blender tells of a frame that was chosen in a window, or by its number, evaluating also animates
        all that is keyed again. What keys have taken in this way is written and evaluated once more.
        """
        evaluate_again(scene, depsgraph)
        left = [(ob, follower.left) for ob, follower in self._followed_of(rigs) if follower.left]
        if any([each.write_again(ob) for ob, each in left]):
            evaluate_again(scene, depsgraph)


def there(depsgraph: Depsgraph) -> list[Object]:
    """Return the armature objects that are switched on and evaluated."""
    rigs = switched_on(depsgraph.view_layer.objects)
    return [ob for ob in rigs if ob.evaluated_get(depsgraph).is_evaluated]


def switched_on(objects: Iterable[Object]) -> list[Object]:
    """Return the armature objects in which *Live* is on and that are not being edited."""
    return [ob for ob in objects if ob.type == 'ARMATURE' and ob.superpose_live and ob.mode != 'EDIT']
