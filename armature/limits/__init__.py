# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits for bones: begun from a pose, converted, mirrored, loaded from a file, or known from anatomy."""
