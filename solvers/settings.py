# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""How to solve."""

from dataclasses import dataclass
from math import inf, isfinite, pi

import numpy as np

from .errors import SettingsError, in_tuple

# The fields each method goes by, besides the tolerances.
PARAMETERS = {
    "SUPERPOSE": ("iterations", "restarts", "sweeps", "dampening", "kernel"),
    "SWEEP": ("iterations", "dampening", "stabilisation", "kernel"),
    "CCD": ("iterations", "dampening", "averaging"),
    "FABRIK": ("iterations",),
    "TRANSPOSE": ("iterations", "target_clamp", "step_length"),
    "PSEUDO_INVERSE": ("iterations", "target_clamp", "rest_pull"),
    "DLS": ("iterations", "target_clamp", "damping_constant", "rest_pull"),
    "SDLS": ("iterations", "target_clamp", "turn_clamp", "rest_pull"),
}
METHODS = tuple(PARAMETERS)
# What of a problem a method cannot express, and what becomes of it.
_UNKNOWN = {"comfort": "Ignores comfort poses and soft rims", "ranks": "Counts all targets as of one rank"}
IGNORES_GOALS = "Ignores goals other than effectors"
UNSUPPORTED = {method: dict(_UNKNOWN) for method in METHODS}
UNSUPPORTED["SUPERPOSE"] = {}
for name in ("SWEEP", "CCD", "FABRIK"):
    UNSUPPORTED[name]["goals"] = IGNORES_GOALS
UNSUPPORTED["CCD"] |= {"rotation above": "Rotation targets turn their own bone only"}
UNSUPPORTED["FABRIK"] |= {"rotation": "Ignores rotation targets", "stiffness": "Ignores stiffness below 1"}
KERNELS = ("QCP", "KABSCH")
AVERAGING = ("TURNS", "POINTS")
_WHOLE_NUMBERS = (int, np.integer)
_NUMBERS = (float, np.floating, *_WHOLE_NUMBERS)


@dataclass(frozen=True, slots=True)
class Haste:
    """How a move is solved that others will follow.

    If not all goals can be met, those of the first ranks are, and the others come nearer by one step.

    - ``springs``: the rank, if any, whose goals are not held but give way to comfort as springs do
    - ``slack``: how far they give way, in characteristic lengths. To miss by the slack weighs as much as to
      stray from comfort by one standard deviation; both count by their squares.
    - ``pace``: the most radians that steps turn a joint, beyond what brings held goals back
    - ``lost``: the rank, if any, of goals that are known to be out of reach; they are lowered at once

    Raises SettingsError.
    """

    springs: int = 0
    slack: float = 0.025
    pace: float = inf
    lost: int = 0

    def __post_init__(self) -> None:
        if not (isinstance(self.slack, _NUMBERS) and isfinite(self.slack) and self.slack > 0):
            raise SettingsError(f"The slack must be above zero, not {self.slack!r}")
        if not (isinstance(self.pace, _NUMBERS) and self.pace > 0):
            raise SettingsError(f"The pace must be above zero, not {self.pace!r}")
        for name, what in (("springs", "springs"), ("lost", "what is lost")):
            value = getattr(self, name)
            if not (isinstance(value, _WHOLE_NUMBERS) and value >= 0):
                raise SettingsError(f"The rank of {what} must be a whole number from 0, not {value!r}")


@dataclass(frozen=True, slots=True)
class Settings:
    """How to solve; the defaults are meant for everything.

    - ``method``: "SUPERPOSE" moves free bodies as a whole, sweeps, and finishes with second-order steps;
      "SWEEP" is the published algorithm, sweeps alone; the others are the field's (see methods/)
    - ``tolerance``: the distance at which a target counts as met, as a share of the longest path from a root
      to an effector; ``angle_tolerance``: the same in radians
    - ``iterations``: the most steps of each kind; too few leave targets missed, too many cost time only where
      nothing is gained
    - ``restarts``: other start poses tried where a target within reach was missed
    - ``sweeps``: sweeps before the finish; more spread motion towards the tips
    - ``dampening``: the largest turn of a bone in a sweep, radians; less bends chains more evenly and needs
      more sweeps
    - ``stabilisation``: shorter turns tried where snapping to a limit would raise the objective; 0 accepts
      the rise, as published
    - ``kernel``: how a sweep superposes, "QCP" or, to check it by, "KABSCH"
    - ``averaging``: how CCD serves several effectors, "TURNS" or "POINTS" (see methods/ccd.py)

    For the Jacobian methods, in *reaches*, the longest path from a root to an effector (see
    methods/linear.py):

    - ``target_clamp``: how far a target may be from its effector; farther ones are brought nearer for a step
    - ``step_length``: of the transpose; 0 leaves least to first order
    - ``damping_constant``: lambda of damped least squares
    - ``turn_clamp``: the largest turn of a joint in a selectively damped step, radians
    - ``rest_pull``: the share of the way to rest that joints take in a step as far as effectors do not notice

    For *Superpose*:

    - ``haste``: how a move is solved that others will follow; None for all else
    - ``worth``: what a step has to bring where goals give way to each other or to comfort, as a share of the
      tolerance. Poses that miss as little lie side by side, and steps from one to the next would go on for
      long.
    - ``gradual``: the ranks whose goals give way gradually in clips that are solved together, from some
      frames before they have to

    Raises SettingsError.
    """

    method: str = "SUPERPOSE"
    tolerance: float = 1e-5
    angle_tolerance: float = 1e-5
    iterations: int = 60
    restarts: int = 3
    sweeps: int = 0
    dampening: float = pi
    stabilisation: int = 0
    kernel: str = "QCP"
    averaging: str = "TURNS"
    target_clamp: float = 0.2
    step_length: float = 0.0
    damping_constant: float = 0.1
    turn_clamp: float = pi / 4
    rest_pull: float = 0.0
    haste: Haste | None = None
    worth: float = 0.0
    gradual: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise SettingsError(f"There is no method '{self.method}', only {', '.join(METHODS)}")
        for name, choice in (("kernel", KERNELS), ("averaging", AVERAGING)):
            value = getattr(self, name)
            if value not in choice:
                raise SettingsError(f"The {name} is '{value}', not one of {', '.join(choice)}")
        for name in ("tolerance", "angle_tolerance", "dampening", "target_clamp", "turn_clamp"):
            value = getattr(self, name)
            if not (isinstance(value, _NUMBERS) and isfinite(value) and value > 0):
                raise SettingsError(f"The {name.replace('_', ' ')} must be above zero, not {value!r}")
        for name in ("step_length", "damping_constant", "rest_pull"):
            value = getattr(self, name)
            if not (isinstance(value, _NUMBERS) and isfinite(value) and value >= 0):
                raise SettingsError(f"The {name.replace('_', ' ')} must be zero or more, not {value!r}")
        if not isinstance(self.haste, Haste | None):
            raise SettingsError(f"The haste must be a Haste or None, not {self.haste!r}")
        if not (isinstance(self.worth, _NUMBERS) and self.worth >= 0):
            raise SettingsError(f"The worth must be zero or more, not {self.worth!r}")
        object.__setattr__(
            self, "gradual", in_tuple(self.gradual, "Ranks that give way gradually", SettingsError)
        )
        if not all(isinstance(rank, _WHOLE_NUMBERS) and rank >= 1 for rank in self.gradual):
            raise SettingsError(
                f"Ranks that give way gradually must be whole numbers from 1, not {self.gradual!r}"
            )
        for name, least in (("iterations", 1), ("restarts", 0), ("sweeps", 0), ("stabilisation", 0)):
            value = getattr(self, name)
            if not (isinstance(value, _WHOLE_NUMBERS) and value >= least):
                raise SettingsError(
                    f"The number of {name} must be a whole number from {least}, not {value!r}"
                )
