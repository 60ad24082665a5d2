import { crc32 } from "node:zlib"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { splitCodes } from "../../src/codes.ts"
import { compileFacts, encodeDataset } from "../../src/compiler.ts"
import { decodeDataset } from "../../src/dataset/file-form.ts"
import { embeddedDataset, lookupRequirement, openDataset, openParts, REQUIREMENTS } from "../../src/index.ts"
import { smallFacts } from "./small-facts.ts"

const compiled = compileFacts(smallFacts())
if (!compiled.ok) throw new Error(compiled.error.message)
const parts = compiled.value
const bytes = encodeDataset(parts)
/** The path of every value inside a value. */
const listPlaces = (value: unknown, path: readonly string[] = []): string[][] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => [[...path, key], ...listPlaces(inner, [...path, key])])
    : []
const refusal = (input: Uint8Array) => {
  const opened = openDataset(input)
  return opened.ok ? "opened" : `${opened.error.tag}: ${opened.error.message}`
}
const lastPairAt = 20 + new DataView(bytes.buffer).getUint32(12, true) + parts.pairs.length - 1
const changed = (change: (copy: Uint8Array, view: DataView) => void) => {
  const copy = bytes.slice()
  change(copy, new DataView(copy.buffer))
  return copy
}
const resealed = (change: (copy: Uint8Array, view: DataView) => void) =>
  changed((copy, view) => {
    change(copy, view)
    view.setUint32(4, crc32(copy.subarray(8)), true)
  })

describe("openDataset", () => {
  it("opens an encoded dataset at any place in a larger buffer", () => {
    const larger = new Uint8Array(bytes.length + 16)
    larger.set(bytes, 7)
    const opened = openDataset(larger.subarray(7, 7 + bytes.length))
    expect(opened).toEqual(openParts(parts))
  })

  it("reports the bytes that it found if the magic number is wrong", () => {
    expect(refusal(new TextEncoder().encode("passport,destination,requirement"))).toBe(
      'WrongMagic: Not a Landfall dataset: it begins with 70 61 73 73 where 4c 4e 44 46 ("LNDF") is expected.',
    )
  })

  it("names both versions if the format version differs", () => {
    expect(refusal(resealed((_, view) => view.setUint16(8, 5, true)))).toBe(
      "WrongFormatVersion: The dataset has format version 5, this code reads version 4: upgrade landfall.",
    )
    expect(refusal(resealed((_, view) => view.setUint16(8, 3, true)))).toBe(
      "WrongFormatVersion: The dataset has format version 3, this code reads version 4: build the dataset again with `landfall dataset build`.",
    )
  })

  it("says how many bytes are missing if the file is cut off", () => {
    expect(refusal(new Uint8Array(0))).toBe(
      "TruncatedDataset: The dataset is cut off: 0 bytes found, at least 20 expected.",
    )
    expect(refusal(bytes.subarray(0, bytes.length - 1))).toBe(
      `TruncatedDataset: The dataset is cut off: ${bytes.length - 1} bytes found, ${bytes.length} expected.`,
    )
    expect(refusal(Uint8Array.of(...bytes, 0))).toBe(
      `TruncatedDataset: The dataset is too long: ${bytes.length + 1} bytes found, ${bytes.length} expected.`,
    )
  })

  it("says that the file is damaged if a byte was changed", () => {
    const damaged = changed(copy => copy.set([(copy.at(-1) as number) ^ 1], copy.length - 1))
    expect(refusal(damaged)).toMatch(
      /^WrongChecksum: The dataset is damaged: its checksum is [0-9a-f]{8}, [0-9a-f]{8} expected\. Fetch or build it again\.$/,
    )
  })

  it("refuses a file with any flipped bit or any missing end", () => {
    for (let at = 0; at < bytes.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        if (refusal(changed(copy => copy.set([(copy[at] as number) ^ (1 << bit)], at))) === "opened")
          expect.fail(`byte ${at} bit ${bit}`)
      }
      if (refusal(bytes.subarray(0, at)) === "opened") expect.fail(`cut at ${at}`)
    }
  })

  it("refuses a file with any few changed bytes", () => {
    const place = fc.nat(bytes.length - 1)
    const changes = fc.uniqueArray(fc.tuple(place, fc.integer({ min: 1, max: 255 })), {
      minLength: 1,
      maxLength: 4,
      selector: ([at]) => at,
    })
    fc.assert(
      fc.property(changes, list => {
        const damaged = changed(copy => {
          for (const [at, mask] of list) copy[at] = (copy[at] as number) ^ mask
        })
        return refusal(damaged) !== "opened"
      }),
      { numRuns: 2000 },
    )
  })

  it("refuses a file with a correct checksum and contradictory tables", () => {
    const pointsPast = resealed(copy => copy.set([255], lastPairAt))
    expect(refusal(pointsPast)).toBe(
      "MalformedDataset: The dataset contradicts itself: a pair points past the answers of its destination.",
    )
    const twice = encodeDataset({ ...parts, header: { ...parts.header, passports: "AAAAAACCC" } })
    expect(refusal(twice)).toBe(
      "MalformedDataset: The dataset contradicts itself: a code is listed twice among the passports.",
    )
    const noJson = resealed(copy => copy.set([0x7d], 20))
    expect(refusal(noJson)).toBe(
      "MalformedDataset: The dataset's header is not JSON: it was not written by `landfall dataset build`.",
    )
    const otherShape = encodeDataset({ ...parts, header: null as unknown as typeof parts.header })
    expect(refusal(otherShape)).toBe("MalformedDataset: The dataset contradicts itself: its header is not an object.")
  })

  type Header = typeof parts.header
  const { contents, origins, answers } = parts.header
  const contentWith = (at: number, value: unknown) => ({
    contents: contents.with(0, (contents[0] as readonly unknown[]).with(at, value) as never),
  })
  /** One answer at every destination. */
  const only = (content: readonly unknown[]) => ({ contents: [content], answers: answers.map(() => [0, 0]) })
  const originWith = (at: number, value: unknown) => ({
    origins: origins.with(0, (origins[0] as readonly unknown[]).with(at, value) as never),
  })
  const home = splitCodes(parts.header.passports).indexOf(parts.header.destinations.slice(0, 3))
  it.each<[string, object, string]>([
    ["a requirement that there is not one of", contentWith(0, 6), "its contents have another shape"],
    ["a stay of minus one day", contentWith(1, -1), "its contents have another shape"],
    ["a day of verification that no calendar has", originWith(1, "2026-02-30"), "its origins have another shape"],
    ["a basis that nobody knows", contentWith(2, "hearsay"), "its contents have another shape"],
    ["an answer for citizens, which is stored nowhere", contentWith(2, "home"), "its contents have another shape"],
    ["days of a stay that takes a visa", only([4, 30, null]), "its answers have another shape"],
    ["a treaty that it does not name", only([0, null, "freedom_of_movement"]), "its answers have another shape"],
    ["a bloc that nothing rests on", originWith(2, "OLD"), "its answers have another shape"],
    ["doubt about what rests on no treaty", originWith(3, 1), "its answers have another shape"],
    ["an answer that says too little", { contents: [[0]] }, "its contents have another shape"],
    ["passports that are a list", { passports: ["AAA"] }, "it has no passports"],
    [
      "a region past the table of regions",
      { regionOf: parts.header.regionOf.map(() => 99) },
      "its facts are not one a destination",
    ],
    [
      "a product below nothing",
      { gdpUsdMillions: parts.header.regionOf.map(() => -1) },
      "its facts are not one a destination",
    ],
    [
      "a pair past the table of pairs",
      { timelines: [[parts.pairs.length, 20_000, 0]] },
      "its dated answers have another shape",
    ],
    ["dated answers out of order", { timelines: [[0, 20_000, 0, 19_999, 1]] }, "its dated answers have another shape"],
    ["a dated answer past a byte", { timelines: [[7, 20_000, 256]] }, "its dated answers have another shape"],
    ["a pair with a day and no answer", { timelines: [[0, 20_000]] }, "its dated answers have another shape"],
    ["sources that are numbers", { sources: [1, 2] }, "its sources have another shape"],
    ["a day that is not a whole number", { asOfDay: 0.5 }, "its dates are not calendar dates"],
    ["a version that is a number", { version: 1 }, "it has no version"],
    ["a day of its own before its first", { asOfDay: parts.header.sinceDay - 1 }, "its own day is before its first"],
    [
      "more answers of a destination than a byte can name",
      {
        answers: answers.with(
          0,
          Array.from({ length: 512 }, () => 0),
        ),
      },
      "its answers have another shape",
    ],
    ["an origin past the table of sources", { origins: [[99, null, null, 0]] }, "its origins have another shape"],
    [
      "a pair past the answers of its destination",
      { ...only([4, null, null]), answers: answers.map(() => []) },
      "a pair points past the answers of its destination",
    ],
    ["an answer past the table of contents", { answers: answers.with(0, [99, 0]) }, "its answers have another shape"],
    ["an answer past the table of origins", { answers: answers.with(0, [0, 99]) }, "its answers have another shape"],
    ["an answer without an origin", { answers: answers.with(0, [0]) }, "its answers have another shape"],
    ["no answers of a destination", { answers: answers.slice(1) }, "its answers have another shape"],
    [
      "a dated answer past those of its destination",
      { timelines: [[7, parts.header.sinceDay, parts.pairs[7], parts.header.asOfDay + 1, 200]] },
      "a dated answer points past those of its destination",
    ],
    [
      "dated answers for a passport's own country",
      { timelines: [[home, parts.header.sinceDay, parts.pairs[home]]] },
      "a passport has dated answers for its own country",
    ],
    ["dated pairs that lead back", { timelines: [[[3, -1], 20_000, 0]] }, "its dated answers have another shape"],
    [
      "dated pairs that lead past the table",
      { timelines: [[[0, parts.pairs.length], 20_000, 0]] },
      "its dated answers have another shape",
    ],
    [
      "a product without end, which would make every score no number",
      { gdpUsdMillions: parts.header.regionOf.map(() => 1.1e12) },
      "its facts are not one a destination",
    ],
    [
      "two lists of dated answers for a pair",
      { timelines: [7, 7].map(pair => [pair, 20_000, parts.pairs[pair]]) },
      "a pair has two lists of dated answers",
    ],
    [
      "a pair that says something else than its dated answers",
      { timelines: [[7, parts.header.sinceDay, parts.pairs[7] === 0 ? 1 : 0]] },
      "a pair and its dated answers disagree on its own day",
    ],
  ])("refuses %s", (_, changes, mistake) => {
    const file = encodeDataset({ ...parts, header: { ...parts.header, ...changes } as Header })
    expect(refusal(file)).toBe(`MalformedDataset: The dataset contradicts itself: ${mistake}.`)
  })

  it("refuses more answers than any table needs", () => {
    const codes = Array.from({ length: 17 }, (_, at) => `${String.fromCharCode(65 + at)}XX`)
    const none = codes.map(() => null)
    const header: Header = {
      ...parts.header,
      destinations: codes.join(""),
      regionOf: none,
      gdpUsdMillions: none,
      contents: Array.from({ length: 255 }, (_, days) => [0, days + 1, null]),
      origins: codes.map(() => [null, null, null, 0]),
      answers: codes.map((_, at) => Array.from({ length: 255 }, (_, content) => [content, at]).flat()),
      timelines: [],
    }
    const pairs = new Uint8Array((codes.length * header.passports.length) / 3)
    expect(refusal(encodeDataset({ header, pairs }))).toBe(
      "MalformedDataset: The dataset contradicts itself: it has 4335 answers, at most 4095 are told apart.",
    )
  })

  it("gives answers of the documented shape from every file that it opens", () => {
    const places = listPlaces(parts.header)
    fc.assert(
      fc.property(fc.constantFrom(...places), fc.jsonValue(), (place, value) => {
        const header = structuredClone(parts.header)
        const holder = place
          .slice(0, -1)
          .reduce<Record<string, unknown>>((at, key) => at[key] as never, header as never)
        holder[place.at(-1) as string] = value
        const opened = openDataset(encodeDataset({ ...parts, header }))
        if (!opened.ok) return
        for (const passport of opened.value.passports) {
          for (const destination of opened.value.destinations) {
            const found = lookupRequirement(opened.value, passport, destination)
            if (found.kind !== "found") continue
            expect(REQUIREMENTS).toContain(found.requirement)
            expect(found.days === null || (Number.isInteger(found.days) && found.days >= 0)).toBe(true)
            expect(found.source === null || typeof found.source.id === "string").toBe(true)
          }
        }
      }),
      { numRuns: 2000 },
    )
  })

  it("never throws, for any input", () => {
    expect(refusal("LNDF" as unknown as Uint8Array)).toBe(
      "MalformedDataset: A dataset is opened from a Uint8Array, not from a value of type string.",
    )
    fc.assert(fc.property(fc.anything(), value => refusal(value as Uint8Array) !== "opened"))
    const unreadable =
      "MalformedDataset: The bytes of the dataset cannot be read: their buffer was transferred or is not valid."
    const sent = bytes.slice()
    structuredClone(sent.buffer, { transfer: [sent.buffer] })
    expect(refusal(sent)).toBe(unreadable)
    expect(refusal(new Proxy(bytes, {}))).toBe(unreadable)
    const revoked = Proxy.revocable(bytes, {})
    revoked.revoke()
    expect(refusal(revoked.proxy)).toBe(unreadable)
    expect(refusal(Object.create(Uint8Array.prototype))).toBe(unreadable)
    fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), value => refusal(value) !== "opened"))
  })
})

describe("the embedded dataset", () => {
  it("is opened once", () => {
    expect(embeddedDataset()).toBe(embeddedDataset())
  })
})

describe("the checksum of a file", () => {
  it("is the CRC-32 of zip and PNG, of everything behind it, whatever a section holds", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), content => {
        const bytes = encodeDataset({ ...parts, sections: new Map([["MOON", content]]) })
        return new DataView(bytes.buffer).getUint32(4, true) === crc32(bytes.subarray(8))
      }),
    )
  })
})

describe("openParts", () => {
  const refusalOf = (given: unknown) => {
    const opened = openParts(given as typeof parts)
    return opened.ok ? "opened" : `${opened.error.tag}: ${opened.error.message}`
  }

  it("refuses pairs that are not bytes, because their numbers could exceed the tables", () => {
    expect(refusalOf({ ...parts, pairs: Array.from(parts.pairs, () => -1) })).toBe(
      "MalformedDataset: The dataset contradicts itself: its pairs are not bytes.",
    )
  })

  it.each([
    ["contents", new Array(parts.header.contents.length), "its contents have another shape"],
    ["answers", new Array(parts.header.answers.length), "its answers have another shape"],
    ["origins", new Array(parts.header.origins.length), "its origins have another shape"],
    ["regionOf", new Array(parts.header.regionOf.length), "its facts are not one a destination"],
    ["sources", new Array(parts.header.sources.length), "its sources have another shape"],
    ["timelines", [Object.assign(new Array(3), [0])], "its dated answers have another shape"],
  ])("refuses %s with holes, which no file can hold", (name, rows, mistake) => {
    expect(refusalOf({ ...parts, header: { ...parts.header, [name]: rows } })).toBe(
      `MalformedDataset: The dataset contradicts itself: ${mistake}.`,
    )
  })

  it("never throws, for any input", () => {
    const unreadable = "MalformedDataset: The dataset contradicts itself: its header cannot be read."
    expect(refusalOf(null)).toBe(unreadable)
    expect(refusalOf({ ...parts, header: new Proxy(parts.header, { get: () => Symbol("no value") }) })).toBe(
      "MalformedDataset: The dataset contradicts itself: it has no passports.",
    )
    fc.assert(fc.property(fc.anything(), value => refusalOf(value) !== "opened"))
  })
})

describe("decodeDataset", () => {
  it("returns the parts that were encoded", () => {
    expect(decodeDataset(bytes)).toEqual({ ok: true, value: { ...parts, formatVersion: 4 } })
  })
})
