# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What each joint may do: by its rotation mode, locks, Limit Rotation constraints, IK settings and limit."""
