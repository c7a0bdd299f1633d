# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""What becomes of the solver's answer: channels in each bone's own rotation mode, and keys."""
