# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways to the rotation that lays one set of points best over another, by what they sum up to."""
