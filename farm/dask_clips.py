# SPDX-FileCopyrightText: 2026 The Superpose Team
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips on a Dask cluster: each is a task, done by the command line of Superpose; see docs/farm.md.

python farm/dask_clips.py rig.blend --clips takes/*.bvh --output baked [--scheduler ADDRESS] [-- OPTION ...]

Without a scheduler it makes a cluster on this machine. It ends with 0, or with 1 where a clip failed. What
is done already is kept, so the same line goes on with what is left.
"""

import subprocess
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from distributed import Client, Future, LocalCluster, as_completed


def arguments(given: Sequence[str]) -> Namespace:
    """Return what is asked for; ends the program where it makes no sense."""
    parser = ArgumentParser(prog="dask_clips.py", description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("file", help="the .blend file with the body, where every worker sees it")
    add("--clips", nargs="+", required=True, metavar="FILE", help="BVH files, where every worker sees them")
    add("--output", required=True, metavar="FOLDER", help="where the files go that are made")
    add("--blender", default="blender", help="the Blender program of the workers (default: %(default)s)")
    add("--scheduler", metavar="ADDRESS", help="a Dask scheduler (default: a cluster on this machine)")
    add("--workers", type=int, default=2, metavar="NUMBER", help="of a cluster on this machine (default: 2)")
    cut = given.index("--") if "--" in given else len(given)
    options = parser.parse_args(given[:cut])
    options.more = list(given[cut + 1 :])
    names = [Path(clip).stem for clip in options.clips]
    if len(set(names)) < len(names):
        parser.error("several clips have the same name, so their files would too")
    return options


def command_line(options: Namespace, clip: str) -> list[str]:
    """Return what does one clip."""
    output = Path(options.output, f"{Path(clip).stem}.blend")
    line = [options.blender, "-b", options.file, "--command", "superpose", "bake"]
    return [*line, "--clips", clip, "--output", str(output), *options.more]


def do(line: Sequence[str]) -> tuple[int, str]:
    """Run a Blender, on a worker; returns its exit code and the last line of its error stream."""
    try:
        run = subprocess.run(line, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    except OSError as error:
        return 1, f"'{line[0]}' cannot be run: {error.strerror}"
    return run.returncode, "".join(run.stderr.splitlines()[-1:])


def result(future: Future) -> tuple[int, str]:
    """Return what a task has, or why it has nothing: its workers ended, or never could begin."""
    error = future.exception()
    return future.result() if error is None else (1, f"{type(error).__name__}: {error}")


def work(client: Client, options: Namespace) -> int:
    """Have all clips done, telling of each as it is; returns the exit code."""
    clips = {client.submit(do, command_line(options, clip), pure=False): clip for clip in options.clips}
    failed = 0
    for number, future in enumerate(as_completed(clips), 1):
        code, said = result(future)
        failed += code != 0
        state = "done" if code == 0 else f"failed with {code}: {said}"
        print(f"{number} of {len(clips)}: {clips[future]}: {state}", file=sys.stderr, flush=True)
    return 1 if failed else 0


def main(given: Sequence[str]) -> int:
    options = arguments(given)
    if options.scheduler:
        try:
            client = Client(options.scheduler)
        except (OSError, ValueError) as error:  # nobody there, or no address at all
            print(f"The scheduler '{options.scheduler}' cannot be had: {error}", file=sys.stderr)
            return 1
        with client:
            return work(client, options)
    # Threads are enough: what takes long is done by other programs.
    own = {"n_workers": options.workers, "threads_per_worker": 1, "processes": False}
    with LocalCluster(**own, dashboard_address=None) as cluster, Client(cluster) as client:
        return work(client, options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
