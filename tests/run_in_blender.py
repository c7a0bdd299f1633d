# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""pytest inside a Blender program; SUPERPOSE_SITE is a folder with pytest and what it needs.

blender -b --factory-startup --python-exit-code 9 --python tests/run_in_blender.py -- tests -k registration
"""

import os
import sys

sys.path.append(os.environ["SUPERPOSE_SITE"])  # at the end: Blender's own numpy comes first

import pytest

arguments = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else ["tests"]
code = pytest.main(arguments)
sys.stdout.flush()
sys.stderr.flush()
os._exit(int(code))  # Blender would answer 0 whatever the tests said
