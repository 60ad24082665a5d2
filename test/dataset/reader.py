#!/usr/bin/env python3
"""A reader of dataset files, written from docs/dataset-format.md alone, to prove that the page is enough.

    reader.py FILE [YYYY-MM-DD]    every pair with a record as CSV
    reader.py --vectors FILE.json  check vectors; ends with 1 where an answer differs
"""
import base64
import csv
import json
import struct
import sys
import zlib
from datetime import date, timedelta

REQUIREMENTS = ["visa_free", "eta", "visa_on_arrival", "e_visa", "visa_required", "no_admission"]
EPOCH = date(1970, 1, 1)


class Refused(Exception):
    pass


class Dataset:
    def __init__(self, content):
        if content[:4] != b"LNDF":
            raise Refused("WrongMagic")
        if len(content) < 20:
            raise Refused("TruncatedDataset")
        checksum, version, sections, header_length, pairs_length = struct.unpack_from("<IHHII", content, 4)
        if version != 4:
            raise Refused("WrongFormatVersion")
        end = 20 + header_length + pairs_length
        for _ in range(sections):
            if end + 8 > len(content):
                raise Refused("TruncatedDataset")
            end += 8 + struct.unpack_from("<I", content, end + 4)[0]
        if end != len(content):
            raise Refused("TruncatedDataset")
        if zlib.crc32(content[8:]) != checksum:
            raise Refused("WrongChecksum")
        header = json.loads(content[20 : 20 + header_length])
        self.pairs = content[20 + header_length : 20 + header_length + pairs_length]
        self.version, self.since, self.as_of = header["version"], header["sinceDay"], header["asOfDay"]
        self.passports = codes(header["passports"])
        self.destinations = codes(header["destinations"])
        self.sources = header["sources"]
        self.contents, self.origins, self.answers = header["contents"], header["origins"], header["answers"]
        self.timelines = {}
        for places, *steps in header["timelines"]:
            place = 0
            for distance in places if isinstance(places, list) else [places]:
                place += distance
                self.timelines[place] = list(zip(steps[0::2], steps[1::2]))

    def answer(self, passport, destination, on=None):
        """The row of a pair on a day; None where nothing is recorded."""
        day = self.as_of if on is None else (date.fromisoformat(on) - EPOCH).days
        if passport not in self.passports or destination not in self.destinations or day < self.since:
            return None
        column = self.destinations[destination]
        place = column * len(self.passports) + self.passports[passport]
        number = self.pairs[place]
        if place in self.timelines:
            steps = self.timelines[place]
            number = [step for first, step in steps if first <= day or first == steps[0][0]][-1]
        if passport == destination:
            rank, days, basis, source, verified_on, subject, uncertain = 0, None, "home", None, None, None, 0
        elif number == 0:
            return None
        else:
            content, origin = self.answers[column][2 * number - 2 : 2 * number]
            rank, days, basis = self.contents[content]
            source, verified_on, subject, uncertain = self.origins[origin]
        is_report = source is not None and self.sources[source][3] == 2
        return {
            "passport": passport,
            "destination": destination,
            "requirement": REQUIREMENTS[rank],
            "days": days,
            "status": "uncertain" if uncertain == 1 else None,
            "home": basis == "home",
            "basis": basis,
            "bloc": subject if basis == "freedom_of_movement" else None,
            "source": None if source is None else self.sources[source][0],
            "verified_on": None if is_report else verified_on,
            "as_of": (EPOCH + timedelta(days=day)).isoformat(),
            "dataset_version": self.version,
        }


def codes(text):
    return {text[at : at + 3]: at // 3 for at in range(0, len(text), 3)}


def open_or_say(content):
    try:
        return Dataset(content), None
    except Refused as refused:
        return None, str(refused)


def check(vectors):
    wrong = 0
    for vector in vectors:
        content = bytearray(base64.b64decode(vector["file"]))
        for at, byte in vector.get("changed", []):
            content[at] = byte
        dataset, refused = open_or_say(bytes(content[: vector.get("bytes", len(content))]))
        answers = refused if dataset is None else [dataset.answer(*asked) for asked in vector["questions"]]
        if answers != vector["expected"]:
            wrong += 1
            print(f"{vector['name']}: {json.dumps(answers)} where {json.dumps(vector['expected'])} is expected")
    print(f"{len(vectors) - wrong} of {len(vectors)} vectors hold")
    return 1 if wrong else 0


def export(dataset, on):
    rows = [dataset.answer(passport, destination, on) for passport in sorted(dataset.passports) for destination in sorted(dataset.destinations)]
    found = [row for row in rows if row is not None]
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(found[0])
    table.writerows([str(cell).lower() if isinstance(cell, bool) else cell for cell in row.values()] for row in found)


if __name__ == "__main__":
    if sys.argv[1] == "--vectors":
        with open(sys.argv[2]) as file:
            sys.exit(check(json.load(file)))
    with open(sys.argv[1], "rb") as file:
        export(Dataset(file.read()), sys.argv[2] if len(sys.argv) > 2 else None)
