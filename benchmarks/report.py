"""Results as a printed table and as JSON beside it."""

import json
import platform
from pathlib import Path

import numpy as np

RESULTS = Path(__file__).parent / "results"


def cell(value):
    """A number with four significant digits, anything else as it is."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def table(rows):
    """Rows (dicts with the same keys) as aligned text."""
    lines = [list(rows[0])] + [[cell(value) for value in row.values()] for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = [[text.ljust(width) for text, width in zip(line, widths, strict=True)] for line in lines]
    return "\n".join("  ".join(line).rstrip() for line in padded)


def runtime():
    """What the figures were taken with."""
    import bpy

    return {"blender": bpy.app.version_string, "python": platform.python_version(), "numpy": np.__version__}


def publish(name, rows):
    """Print the rows and write them to ``results/NAME.json``."""
    print(f"\n{name}\n{table(rows)}", flush=True)
    keep(name, rows)


def keep(name, rows):
    """Write the rows to ``results/NAME.json``."""
    RESULTS.mkdir(exist_ok=True)
    document = {"runtime": runtime(), "rows": rows}
    (RESULTS / f"{name}.json").write_text(json.dumps(document, indent=1) + "\n")


def kept(name):
    """The rows of ``results/NAME.json``; none without that file."""
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text())["rows"] if path.exists() else []
