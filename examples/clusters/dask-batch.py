#!/usr/bin/env python3
"""Judge the lines of a file on a Dask cluster, with the same bytes as one process.

    dask-batch.py SCHEDULER IN OUT [--partition-bytes N] [--command COMMAND]

Each task reads its part of IN, runs `landfall batch - --stage` over it and writes its answers to OUT.parts/N.ndjson, first under a temporary name. Dask
runs a task again when its worker dies. At the end the parts are joined in order. IN and OUT have to be on storage that all workers see. A part that is
there already is not made again, so the same call continues a run that was cut off.
"""
import argparse
import json
import os
import shlex
import shutil
import subprocess
import tempfile

from distributed import Client, as_completed

USUAL_BYTES = 16 * 1024 * 1024


def cut(path, partition_bytes):
    """Return the (start, end) byte ranges of a file, cut behind line breaks."""
    size = os.path.getsize(path)
    borders = [0]
    with open(path, "rb") as lines:
        while borders[-1] < size:
            lines.seek(min(borders[-1] + partition_bytes, size))
            lines.readline()
            borders.append(lines.tell())
    return list(zip(borders, borders[1:]))


def judge(command, path, start, end, part):
    """Judge one range; return the counts that the stage prints, or raise what it says."""
    if os.path.exists(part + ".json"):
        with open(part + ".json") as counts:
            return json.load(counts)
    with open(path, "rb") as lines:
        lines.seek(start)
        stage = subprocess.run(command, input=lines.read(end - start), capture_output=True)
    if stage.returncode != 0:
        raise RuntimeError(stage.stderr.decode(errors="replace"))
    # The counts are written last: where they are, the answers are whole.
    for name, content in ((part, stage.stdout), (part + ".json", stage.stderr)):
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(part))
        with os.fdopen(handle, "wb") as output:
            output.write(content)
        os.replace(temporary, name)
    return json.loads(stage.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scheduler")
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("--partition-bytes", type=int, default=USUAL_BYTES)
    parser.add_argument("--command", default="landfall batch - --stage --threads 1")
    given = parser.parse_args()
    path, parts = os.path.abspath(given.input), os.path.abspath(given.output) + ".parts"
    os.makedirs(parts, exist_ok=True)
    ranges = cut(path, given.partition_bytes)
    names = [os.path.join(parts, f"{number}.ndjson") for number in range(len(ranges))]
    with Client(given.scheduler) as client:
        tasks = [
            client.submit(judge, shlex.split(given.command), path, start, end, name, retries=3, pure=False)
            for (start, end), name in zip(ranges, names)
        ]
        for number, task in enumerate(as_completed(tasks), 1):
            task.result()
            print(f"{number} of {len(tasks)} partitions", flush=True)
        counts = client.gather(tasks)
    whole = os.path.abspath(given.output) + ".part"
    with open(whole, "wb") as output:
        for name in names:
            with open(name, "rb") as answers:
                shutil.copyfileobj(answers, output)
    os.replace(whole, given.output)
    shutil.rmtree(parts)
    print(json.dumps({"partitions": len(ranges), **{key: sum(each[key] for each in counts) for key in ("lines", "failed")}}))


if __name__ == "__main__":
    main()
