# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A body follows a motion, from what it is given for that to its keys; whatever fails, all is as it was."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from bpy.types import Context, Object

from ..frames.pose_kept import pose_kept_from_keys
from .counting import let_count_alike, let_turn
from .fingers import fingers_led, key_fingers
from .given_targets import targets_given
from .keys import key_targets, show_keyed
from .lead import Lead, lead_by_roles
from .toes import toes_given
from .tracks import Tracks, read_tracks


@dataclass(frozen=True)
class Choices:
    """What of a motion is followed, and how.

    ``levels``: a tilted floor of the leader is made level, and feet are laid flat on it; ``toes``: these bend
    as that floor needs; ``turns``: rotations count of all that follows; ``alike``: all counts as much;
    ``fingers``: bones of fingers get keys.
    """

    levels: bool = True
    toes: bool = True
    turns: bool = True
    alike: bool = True
    fingers: bool = True

    @property
    def bends(self) -> bool:
        """Whether toes bend: only a floor that is level says how far."""
        return self.toes and self.levels


@dataclass(frozen=True, eq=False)
class Following:
    """A body that follows the motion of another armature.

    - ``targets``: by effector
    - ``fingers``: as ``fingers_led`` has them
    - ``toes``: those that are effectors since
    - ``turned``: the effectors whose rotation counts since
    """

    lead: Lead
    choices: Choices
    targets: Mapping[str, Object]
    fingers: Mapping[str, tuple[str, str]]
    toes: Sequence[str]
    turned: Sequence[str]
    undoing: ExitStack

    def read(self, context: Context, numbers: Sequence[int]) -> Generator[int, None, Tracks]:
        """Go to each frame and return where targets are in it, giving how many are read. Raises RigError."""
        levels, bends = self.choices.levels, self.choices.bends
        return (yield from read_tracks(context, self.lead, numbers, levels, bends, self.fingers))

    def key(self, context: Context, tracks: Tracks) -> list[str]:
        """Key targets and fingers; return the effectors whose places count no longer. Raises RigError."""
        scene, follower, leader = context.scene, self.lead.follower, self.lead.leader
        alike = let_count_alike(self.lead, tracks.unlike)
        along = self.undoing.enter_context(alike) if self.choices.alike else []
        with pose_kept_from_keys(context, follower):
            key_fingers(scene, follower, tracks.fingers, tracks.numbers)
            key_targets(scene, self.targets, tracks, f"{follower.name} {leader.name}")
        show_keyed(context, self.targets.values())
        return along


@contextmanager
def following(context: Context, follower: Object, leader: Object, choices: Choices) -> Iterator[Following]:
    """Give a body what it needs to follow the leader's motion.

    Where what is done with that fails or is stopped, all is as it was. Raises RigError.
    """
    with ExitStack() as undoing:
        toes = undoing.enter_context(toes_given(follower)) if choices.bends else []
        lead = lead_by_roles(follower, leader)
        fingers = fingers_led(follower, leader) if choices.fingers else {}
        targets = undoing.enter_context(targets_given(context, lead))
        turned = undoing.enter_context(let_turn(lead)) if choices.turns else []
        yield Following(lead, choices, targets, fingers, toes, turned, undoing)
