# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the seam refuses to read or write."""


class RigError(ValueError):
    """A rig, target, frame range or action that cannot be used as it is; the message names it."""
