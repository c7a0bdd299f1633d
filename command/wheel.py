# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command in Blender's wheel, which has no command line of its own.

python wheel.py MODULE ARGUMENT ..., the first being the name that the extension is switched on by.
"""

import os
import sys
from importlib import import_module


def main(module: str, *arguments: str) -> int:
    import bpy  # which makes others importable
    from addon_utils import enable

    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    if enable(module, default_set=True) is None:
        return 1
    return import_module(f"{module}.command").run(list(arguments))


if __name__ == "__main__":
    try:
        code = main(*sys.argv[1:])
    except SystemExit as end:
        code = end.code
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # with an add-on switched on, some wheels crash or hang on Python's own way out
