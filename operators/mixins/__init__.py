# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators share: one armature, long work in small pieces, a range of frames, a report to show."""
