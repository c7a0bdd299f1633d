# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Descent over a whole clip, frames coupled by acceleration.

Of all frames only the poses are kept; what follows from them is made part by part, and whatever is decided is
so for all of them.

Where targets are to be met exactly, or come first, every step is followed by least squares that bring them
back: their paths are curved, and the step only keeps to their slopes. A step that raises the cost of the clip
is refused, and frames that cost more are damped. Where all targets are held they are so for two steps that
are taken: their paths are curved, and the second step would be refused like the first.
"""

from dataclasses import dataclass, replace

import numpy as np

from ..errors import SettingsError
from ..geometry import Array, Mask, is_number, is_whole, norm
from ..model import Pose, joined_poses
from ..pauses import Pausing
from ..problem import Problem, State, copied, measure, pose_from_state
from ..steps import levenberg_marquardt_step, stepped
from .clip import Clip
from .objective import costs, counted
from .places import Places
from .step import clip_step
from .ways import Ways, make_ways

_LONGEST = 0.7  # radians: the most that a bone turns in a step
# Damping, per square unit of compliance: to begin with, as much as a given pose pulls; of frames that cost
# more, and of their neighbours; after a step that was taken.
_FIRST, _RAISE, _LOWER, _CEILING = 6.0, 10.0, 0.25, 1e8
_AROUND = 2
# That of frames that stay.
_FIXED = 1e18
# Steps that bring targets back; what they leave of the tolerance; their damping.
_RETURNS, _NEAR, _CALM = 3, 1.0, 1e-6


@dataclass(frozen=True, slots=True)
class Patience:
    """When a descent ends.

    It ends after so many ``steps``, or once no bone has more than ``still`` radians to turn, or once a step
    saves no more than the share ``level`` of the cost. ``where_smooth`` takes the place of ``level`` where
    targets give way to smooth motion, if it is less.

    Raises SettingsError.
    """

    steps: int
    level: float
    still: float = 1e-4
    where_smooth: float = np.inf

    def __post_init__(self) -> None:
        kinds = {"steps": is_whole, "level": is_number, "still": is_number}
        for name, fits in kinds.items():
            value = getattr(self, name)
            if not (fits(value) and value >= 0):
                raise SettingsError(f"The {name} of a patience must be a number from 0, not {value!r}")

    def level_of(self, clip: Clip) -> float:
        """Return the share of the cost of a clip that the last step saves."""
        return min(self.level, self.where_smooth) if clip.gives_way else self.level

    @property
    def is_thorough(self) -> bool:
        """Whether anything that can be saved is to be."""
        return self.level == 0


@dataclass(frozen=True, eq=False, slots=True)
class Descent:
    """What a descent over a clip has come to.

    It went from the pose in which it had ``begun`` to the ``places``, in so many steps ``taken``; ``cost``:
    what the clip costs there.
    """

    begun: Pose
    places: Places
    cost: float
    taken: int


def cost_at(places: Places) -> float:
    """Return what a clip costs where its frames are."""
    return float(_costs(places).sum())


def descended(begun: Places, patience: Patience, held: Mask, expected: float) -> Pausing[Descent]:
    """Return the descent from where frames are, until ``patience`` ends it.

    Frames that are ``held`` (frames,) stay. ``expected``: what the least cost is expected to be. No step is
    taken where even that would save no more than a last step does.
    """
    places, clip, taken, here = begun, begun.clip, 0, _costs(begun)
    damping, faces = np.full(len(here), _FIRST), None
    raised = np.zeros(len(here), bool)  # in which frames the last step raised the cost
    level = patience.level_of(clip)
    ended = (1 - level) * here.sum() <= expected
    ways = make_ways(clip.problem)
    while taken < patience.steps and not ended:
        damping[held] = _FIXED
        step, pressing = yield from _step(places, ways, faces, damping)
        taken += 1
        yield
        turned = _largest_turn(clip, step)
        trial = yield from _taken(places, step, min(1.0, _LONGEST / max(turned, _LONGEST)))
        there = _costs(trial)
        gain = here.sum() - there.sum()
        is_level = 0 <= gain <= level * here.sum() and turned <= _LONGEST  # a longer step was cut short
        ended = turned <= patience.still or is_level
        if gain > 0:
            places, faces, here = trial, pressing, there
            damped = raised & (clip.kept is clip.problem)
            damping, raised = np.where(damped, damping, _LOWER * damping), np.zeros_like(raised)
        else:
            raised = np.convolve(there > here, np.ones(2 * _AROUND + 1))[_AROUND:-_AROUND] > 0
            damping = np.where(raised, np.maximum(_FIRST, _RAISE * damping), damping)
        ended |= damping[~held].max(initial=0.0) > _CEILING
    return Descent(begun.pose, places, float(here.sum()), taken)


def _costs(places: Places) -> Array:
    """Return what each frame costs, (frames,)."""
    each = []
    for part in places.parts:
        here = places.at(part)
        each.append(costs(here.clip, here.state, here.motion, here.residual)[part.inner])
    return np.concatenate(each)


def _step(
    places: Places, ways: Ways, faces: Mask | None, damping: Array
) -> Pausing[tuple[Array, Mask | None]]:
    """Return the step of all frames, and the faces that it presses on, as ``clip_step`` does of a part."""
    steps, pressing = [], []
    for part in places.parts:
        here, held = places.at(part), None if faces is None else faces[part.around]
        step, pressed = yield from clip_step(here, ways, held, damping[part.around])
        steps.append(step[part.inner])
        pressing += [] if pressed is None else [pressed[part.inner]]
    return np.concatenate(steps), np.concatenate(pressing) if pressing else None


def _largest_turn(clip: Clip, step: Array) -> float:
    """Return the largest turn of a bone, radians, in a step (batch, n + k, 3)."""
    bones = len(clip.problem.mobility)
    return float((norm(step[:, :bones]) * clip.problem.compliance[:, :bones]).max(initial=0.0))


def _taken(places: Places, step: Array, share: float) -> Pausing[Places]:
    """Return the places after a ``share`` of a step, with what is kept reached again."""
    poses = []
    for part in places.parts:
        here, before = places.at(part), places.pose.rows(part.own)
        clip = here.clip.rows(part.inner)
        trial = stepped(clip.problem, here.state.rows(part.inner), share * step[part.own])
        if clip.kept is not None:
            trial = yield from _returned(clip, clip.kept, trial)
        poses.append(pose_from_state(clip.problem, trial, before))
    return places.moved(joined_poses(poses))


def _returned(clip: Clip, kept: Problem, state: State) -> Pausing[State]:
    """Return the state with what is kept reached again as it was."""
    most = (_NEAR * kept.tolerance) ** 2
    state, residual = copied(state), copied(counted(clip, measure(kept, state)))
    for _ in range(_RETURNS):
        rows = np.flatnonzero(residual.energy > most)
        if not len(rows):
            break
        part, before = kept.rows(rows), residual.rows(rows)
        trial = levenberg_marquardt_step(part, state.rows(rows), before, np.full(len(rows), _CALM))
        after = counted(replace(clip, reached=clip.reached[rows]), measure(part, trial))
        nearer = after.energy < before.energy
        state.put(rows[nearer], trial.rows(nearer))
        residual.put(rows[nearer], after.rows(nearer))
        yield
    return state
