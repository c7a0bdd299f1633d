# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip worked on in parts, so that memory is bounded however long it is.

Whatever is decided is so for all of its frames; where they are parted makes no difference.
"""

from dataclasses import dataclass

import numpy as np

from ..geometry import Mask

# Numbers that the elimination of a part of a clip may keep at a time, without the frames around it.
_MOST_ENTRIES = 2**23
# Frames on either side of a part whose acceleration hangs on those of the part.
_TIED = 2


@dataclass(frozen=True, slots=True)
class Part:
    """Frames from ``first`` to before ``last``, worked out among those from ``begin`` to before ``end``."""

    first: int
    last: int
    begin: int
    end: int

    @property
    def own(self) -> slice:
        """Its frames among all."""
        return slice(self.first, self.last)

    @property
    def around(self) -> slice:
        """Those that it is worked out among."""
        return slice(self.begin, self.end)

    @property
    def inner(self) -> slice:
        """Its frames among those."""
        return slice(self.first - self.begin, self.last - self.begin)


def parts_of(frames: int, ways: int, overlap: int) -> tuple[Part, ...]:
    """Return the parts of a clip whose frames may move in so many ``ways``.

    Frames that are ``overlap`` apart move each other by less than a millionth. Where there is hardly more
    than one part and what is around it, that is all of them.
    """
    most = max(2 * overlap, _MOST_ENTRIES // (2 * ways**2))
    if frames <= most + 2 * overlap:
        return (Part(0, frames, 0, frames),)
    firsts = range(0, frames, most)
    lasts = (min(first + most, frames) for first in firsts)
    return tuple(
        Part(first, last, max(first - overlap, 0), min(last + overlap, frames))
        for first, last in zip(firsts, lasts, strict=True)
    )


def parts_around(marked: Mask, reach: int) -> tuple[Part, ...]:
    """Return the parts of the frames that are no farther than ``reach`` from ``marked`` ones (frames,).

    Each is worked out among those whose acceleration hangs on its own, which are no other's own.
    """
    at, frames = np.flatnonzero(marked), len(marked)
    apart = np.flatnonzero(np.diff(at) > 2 * reach + _TIED) + 1
    groups = [group for group in np.split(at, apart) if len(group)]
    owns = [(max(int(group[0]) - reach, 0), min(int(group[-1]) + 1 + reach, frames)) for group in groups]
    return tuple(Part(first, last, max(first - _TIED, 0), min(last + _TIED, frames)) for first, last in owns)
