# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets that were recorded: frames of them that are not to be believed, and how they are cleaned."""
