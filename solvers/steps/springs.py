# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Goals that are lowered, not held, eased once a step is made: the step did not see how they bend.

Beside posture cost such goals are stiff springs, which leave a curved valley. A straight step along it ends
beside it, and the next step would begin by coming back. So the goals are eased by chord steps, in the way in
which held goals are brought back. A chord step takes the derivatives and the inverse Hessian of the step, and
begins from what is left of the goals beyond what the step was to leave of them.
"""

from dataclasses import dataclass

import numpy as np

from ..geometry import Array, matvec, norm, vecmat
from ..problem import Problem, Residual, State, jacobian, measure
from .joint_newton import NewtonStep

# In units of compliance, about radians: the most that easing turns a joint.
_MOST = 0.12


@dataclass(frozen=True, eq=False, slots=True)
class Springs:
    """The goals of a ``problem`` as a ``newton`` step was made, ``R`` rows.

    ``rows`` (batch, R, d): their derivatives, per unit of compliance, over what may move; ``begin``
    (batch, R): what is left of them where the step begins.
    """

    problem: Problem
    newton: NewtonStep
    rows: Array
    begin: Array

    @property
    def planned(self) -> Array:
        """What the step is to leave of them, (batch, R)."""
        step = self.newton.step.take(self.newton.moving, axis=1)
        planned: Array = self.begin + matvec(self.rows, step.reshape(len(step), -1))
        return planned

    def pulls(self, state: State, before: Array) -> Array:
        """Return how they pull, (batch, m + k, 3), where the state is, by what the step did not see of that.

        ``before``: a step beside it that is in the state.
        """
        left = measure(self.problem, state).vector
        bent = left - self.planned - matvec(self.rows, before.reshape(len(before), -1))
        pulls: Array = vecmat(bent, self.rows).reshape(before.shape)
        return pulls

    def eased(self, state: State, before: Array) -> Array:
        """Return the step (batch, m + k, 3) that eases them where the state is, beside all that was made.

        ``before``: the part of this that is in the state; more would lead farther than derivatives are true.
        """
        eased = self.newton.freely(self.pulls(state, before))
        far = norm(eased - before).max(axis=1) > _MOST
        return np.where(far[:, None, None], before, eased)


def springs_of(problem: Problem, state: State, left: Residual, newton: NewtonStep) -> Springs:
    """Return the goals of the problem where a step begins, and what is ``left`` of them there."""
    moving = newton.moving
    rows = jacobian(problem, state, left).take(moving, axis=2)
    rows = rows.reshape(*rows.shape[:2], -1)
    return Springs(problem, newton, rows, left.vector)
