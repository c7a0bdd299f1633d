# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The body of a drag, drawn to the pose where that began."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from ..solvers import Effector, Pose, Skeleton
from ..solvers.posture import Drawing


@dataclass(eq=False)
class Drawn:
    """A body that is drawn to a pose; ``skeleton``: as it was drawn last, to its ``shares``."""

    body: Skeleton
    drawing: Drawing
    skeleton: Skeleton | None = field(default=None, init=False)
    shares: tuple[float, Mapping[str, float]] | None = field(default=None, init=False)

    def at(self, share: float, limbs: Mapping[str, float]) -> Skeleton:
        """Return the body with ``share`` of its comfort, or more in ``limbs``: one and the same for the same.

        Where targets are moved a little their comfort hardly counts, so that the rest stays.
        """
        if self.skeleton is None or self.shares != (share, limbs):
            self.shares = share, limbs
            self.skeleton = self.body.with_comforts(self.drawing.at(share, limbs))
        return self.skeleton


def drawn(
    body: Skeleton,
    pose: Pose,
    effectors: Sequence[Effector],
    going: Collection[int],
    following: Collection[int],
    limbs: Collection[str],
) -> Drawn:
    """Return the body as it is drawn to the pose; what carries effectors strays less.

    But those in the rows ``going``, and the limbs of those ``following``. ``limbs``: by their ends, those
    that may have shares of their own.
    """
    held = [effector.bone for row, effector in enumerate(effectors) if row not in going]
    bending = [effector.bone for row, effector in enumerate(effectors) if row in following]
    return Drawn(body, body.drawing(pose, held, limbs, bending))
