# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer keys on an armature's F-curves: what the curves show between frames, and which keys may go."""
