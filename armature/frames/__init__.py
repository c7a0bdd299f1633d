# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What frames look like: which are gone through, what is read of each, and all put back afterwards."""
