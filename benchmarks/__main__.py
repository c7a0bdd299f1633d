"""Run parts of the benchmarks by name, or all of them, in one thread.

In a bpy wheel: ``python -m benchmarks [part ...]`` from the repository's root.
In Blender: ``blender -b --factory-startup --python benchmarks/__main__.py -- [part ...]``.
"""

import os
import sys
from importlib import import_module
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

PARTS = (
    *("single_pose", "chains", "scaling", "bake", "mocap", "follow", "clip", "keys", "metarig", "recorded"),
    *("limits", "goals", "learned", "drag", "live", "natural", "bodies", "methods", "kernels", "ranks"),
    "large",
    "giving_way",
    "lowered",
    "loops",
)

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # before numpy is first imported


def names():
    """The parts asked for on the command line. Ends with a message where one is unknown."""
    after = sys.argv.index("--") + 1 if "--" in sys.argv else 1
    unknown = sorted(set(sys.argv[after:]).difference(PARTS))
    if unknown:
        sys.exit(f"There is no benchmark {', '.join(unknown)}. There are {', '.join(PARTS)}.")
    return sys.argv[after:] or PARTS


def main():
    """Run the parts, then leave at once: some Blenders do not survive a tidy exit.

    A wheel, which starts only now, has settings of its own for as long.
    """
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    settings = mkdtemp(prefix="superpose-benchmarks-")
    os.environ.setdefault("BLENDER_USER_RESOURCES", settings)
    for name in names():
        import_module(f"benchmarks.{name}").main()
    rmtree(settings)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
