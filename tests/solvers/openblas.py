# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""The OpenBLAS of numpy's wheel: for which processor its kernels are, and how many threads it has."""

import ctypes
from pathlib import Path

import numpy as np


def _function(name):
    (path,) = Path(np.__file__).parent.parent.glob("numpy.libs/*openblas*")
    library = ctypes.CDLL(str(path))
    names = (f"openblas_{name}64_", f"scipy_openblas_{name}64_")
    return next(getattr(library, name) for name in names if hasattr(library, name))


def kernels_in_use():
    told = _function("get_corename")
    told.restype = ctypes.c_char_p
    return told().decode()


def threads():
    return _function("get_num_threads")()


def use_threads(count):
    _function("set_num_threads")(count)
