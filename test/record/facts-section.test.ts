import { readFileSync } from "node:fs"
import { crc32 } from "node:zlib"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { compileFactsSection } from "../../adapters/data-files/full-compile.ts"
import { readFullRecords } from "../../adapters/data-files/full-read.ts"
import { readDataRecords, toFacts } from "../../adapters/data-files/read-facts.ts"
import { addFacts, compileFacts, type DatasetParts, encodeDataset, type FactsSection } from "../../src/compiler.ts"
import {
  assembleFullRecord,
  type Language,
  loadLocalisedFacts,
  readDatasetFacts,
  renderMarkdown,
} from "../../src/full.ts"
import { type Dataset, datasetOn, embeddedDataset, openDataset } from "../../src/index.ts"
import { MAXIMUM_FACTS_BYTES } from "../../src/record/facts-section.ts"

import { policy, rule, smallFacts } from "../dataset/small-facts.ts"
import { encodeWhole, smallSection } from "../dataset/small-facts-section.ts"
import { countTrips, IS_WHOLE } from "../sample.ts"

const compiled = compileFacts(
  smallFacts({
    policies: [
      policy("CCC", {
        rules: [rule(["AAA"], { requirement: "e_visa" }), rule(["BBB"], { requirement: "visa_free", days: 30 })],
      }),
    ],
  }),
)
if (!compiled.ok) throw new Error(compiled.error.message)
const pairs: DatasetParts = compiled.value

function open(bytes: Uint8Array): Dataset {
  const opened = openDataset(bytes)
  if (!opened.ok) throw new Error(opened.error.message)
  return opened.value
}

/** A file whose last section is these bytes, with a checksum that fits. */
function withSection(content: Uint8Array, announced = content.length): Uint8Array {
  const before = encodeDataset({ ...pairs, sections: new Map([["FULL", new Uint8Array(0)]]) })
  const bytes = new Uint8Array(before.length + content.length)
  bytes.set(before)
  bytes.set(content, before.length)
  const view = new DataView(bytes.buffer)
  view.setUint32(before.length - 4, announced, true)
  view.setUint32(4, crc32(bytes.subarray(8)), true)
  return bytes
}

const ascii = (text: string) => Uint8Array.from(text, character => character.charCodeAt(0))
const openFacts = (section: unknown) => {
  const opened = openDataset(withSection(ascii(JSON.stringify(section))))
  return opened.ok ? readDatasetFacts(opened.value) : opened
}
const messageOf = (section: unknown): string => {
  const read = openFacts(section)
  return read.ok ? "sound" : read.error.message
}

describe("the facts of a dataset file", () => {
  it("give the same records as the facts of the program, if both are compiled from the same data", async () => {
    const records = readDataRecords("data")
    const full = readFullRecords("data")
    if (records._tag === "Failure" || full._tag === "Failure") throw new Error("the data cannot be read")
    const all = compileFacts(toFacts(records.success))
    if (!all.ok) throw new Error(all.error.message)
    const dataset = open(encodeWhole(all.value, compileFactsSection(full.success)))
    const embedded = embeddedDataset()
    for (const language of ["en", "ar"] satisfies Language[]) {
      const [own, other] = [await loadLocalisedFacts(dataset, language), await loadLocalisedFacts(embedded, language)]
      for (const [row, passport] of embedded.passports.entries()) {
        for (const [column, destination] of embedded.destinations.entries()) {
          if ((row + column) % (IS_WHOLE ? 23 : 1_009) !== 0) continue
          expect(assembleFullRecord(own, passport, destination)).toEqual(
            assembleFullRecord(other, passport, destination),
          )
        }
      }
    }
  })

  it("are opened once, and are the same on every day", () => {
    const dataset = open(encodeWhole(pairs, smallSection()))
    const read = readDatasetFacts(dataset)
    if (!read.ok || read.value === null) throw new Error("there are no facts")
    expect(read.value.facts.version).toBe("test.1")
    expect(read.value.missions.hasIn("AAA", "CCC")).toBe(true)
    expect(read.value.history.listChanges("BBB", "CCC")).toHaveLength(1)
    const later = datasetOn(dataset, "2026-07-01")
    expect(later.ok && readDatasetFacts(later.value)).toBe(read)
  })

  it("are absent from a file of pairs only, and from a value that is not a dataset", () => {
    for (const file of ["passport-index-2025-01-12", "dataset-2026-11-21"]) {
      const dataset = open(new Uint8Array(readFileSync(`test/fixtures/${file}.landfall`)))
      expect(readDatasetFacts(dataset)).toEqual({ ok: true, value: null })
    }
    expect(readDatasetFacts(open(encodeDataset(pairs)))).toEqual({ ok: true, value: null })
    expect(readDatasetFacts(null as never)).toEqual({ ok: true, value: null })
  })

  it("do not change what an older release reads: the pairs are the same, and unknown sections are skipped", () => {
    const sections = new Map([["LATE", ascii("from another time")]])
    const dataset = open(encodeDataset({ ...pairs, sections }))
    expect(dataset.pairs).toEqual(open(encodeDataset(pairs)).pairs)
    expect(new TextDecoder().decode(dataset.sections?.get("LATE"))).toBe("from another time")
  })
})

describe("a malicious file", () => {
  it("is refused if its section is longer than the file, is cut off or has a wrong checksum", () => {
    const content = ascii(JSON.stringify(smallSection()))
    const whole = withSection(content)
    expect(openDataset(whole).ok).toBe(true)
    const longer = openDataset(withSection(content, 0xff_ff_ff_ff))
    expect(longer).toMatchObject({ ok: false, error: { tag: "TruncatedDataset" } })
    expect(openDataset(whole.subarray(0, whole.length - 1))).toMatchObject({ error: { tag: "TruncatedDataset" } })
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const damaged = whole.slice()
        damaged[at] = (damaged[at] as number) ^ flip
        expect(openDataset(damaged).ok).toBe(false)
      }),
    )
  })

  it("is refused if its facts are not valid JSON or are too long", () => {
    const broken = readDatasetFacts(open(withSection(ascii("{"))))
    expect(broken.ok || broken.error.message).toBe("The facts of the dataset contradict themselves: they are not JSON.")
    const dataset = { ...embeddedDataset(), sections: new Map([["FULL", new Uint8Array(MAXIMUM_FACTS_BYTES + 1)]]) }
    const long = readDatasetFacts(dataset)
    expect(long.ok || long.error.message).toBe(
      "The facts of the dataset contradict themselves: they take 16777217 bytes, at most 16777216 are read.",
    )
  })

  const { facts, missions, history } = smallSection()
  const factsWith = (changes: object) => ({ facts: { ...facts, ...changes }, missions, history })
  const ofSubject = (subject: string, row: unknown) => factsWith({ facts: { ...facts.facts, [subject]: [row] } })
  it.each([
    ["the section is not an object", []],
    ["there are no facts", { missions, history }],
    ["they do not say of which dataset and day they are", factsWith({ asOf: "soon" })],
    ["its codes of countries have another shape", factsWith({ codes: "AAAA" })],
    [
      "the sources have another shape",
      factsWith({ sources: [["law", "A law", "javascript:alert(1)", null, null, null]] }),
    ],
    ["the origins have another shape", factsWith({ origins: [[1, null, null, null]] })],
    ["there is no list of facts of fee", factsWith({ facts: { ...facts.facts, fee: undefined } })],
    ["fact 0 of fee has another shape", ofSubject("fee", [0, "CCC", null, null, { singleEntry: 50 }])],
    ["fact 0 of fee has another shape", ofSubject("fee", [7, "CCC", null, null, {}])],
    ["fact 0 of safety has another shape", ofSubject("safety", [0, "CCC", [9], null, { issuer: "usa" }])],
    ["fact 0 of arrivalForm has another shape", ofSubject("arrivalForm", [0, "CC", null, null, {}])],
    ["there are no missions", { facts, history }],
    ["1 missions where 35 are announced", { facts, history, missions: { ...missions, counts: "z" } }],
    ["the missions are not counted by pair", { facts, history, missions: { ...missions, counts: "zzzzzzzz" } }],
    ["2 cities where 1 missions are announced", { facts, history, missions: { ...missions, cities: "a\nb" } }],
    ["a website is not an address", { facts, history, missions: { ...missions, websites: "//here" } }],
    ["there is no history", { facts, missions }],
    [
      "the history of CCC has another shape",
      { facts, missions, history: { ...history, changes: { CCC: [[1, 4, 0, null, null, 0, "BBB"]] } } },
    ],
  ])("is refused with the mistake: %s", (mistake, section) => {
    expect(messageOf(section)).toBe(`The facts of the dataset contradict themselves: ${mistake}.`)
    const written = addFacts(pairs, section as FactsSection)
    expect(written.ok || written.error.message).toBe(messageOf(section))
  })

  it("with changed facts is refused, or every record can still be made and shown", async () => {
    const locale = (await loadLocalisedFacts(embeddedDataset(), "de")).locale
    const { openLocalisedFacts } = await import("../../src/full.ts")
    const places = listPlaces(smallSection())
    const anything = fc.oneof(
      fc.constantFrom(
        null,
        -1,
        0,
        1e308,
        "",
        "CCC",
        "AAACCC",
        "\n\n",
        [],
        {},
        true,
        "https://x.example",
        36,
        "__proto__",
      ),
      fc.jsonValue({ maxDepth: 2 }),
    )
    let sound = 0
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(places.length - 1), anything), { minLength: 1, maxLength: 3 }), changes => {
        const section = JSON.parse(JSON.stringify(smallSection())) as object
        for (const [at, value] of changes) setAt(section, places[at] as readonly string[], value)
        const opened = openDataset(withSection(ascii(toAscii(section))))
        if (!opened.ok) throw new Error("the pairs were not touched")
        const read = readDatasetFacts(opened.value)
        if (!read.ok || read.value === null) return
        sound++
        const localised = openLocalisedFacts({ dataset: opened.value, locale, ...read.value })
        for (const passport of ["AAA", "BBB", "CCC"]) {
          for (const destination of ["AAA", "BBB", "CCC", "TTT"]) {
            const record = assembleFullRecord(localised, passport, destination)
            if (record !== null) expect(renderMarkdown(record, locale)).toBeTypeOf("string")
          }
        }
      }),
      { numRuns: countTrips(150) },
    )
    expect(sound).toBeGreaterThan(0)
  })
})

const toAscii = (value: unknown) =>
  JSON.stringify(value).replace(/[\u0080-\uffff]/g, one => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** Every place of a value, as the names and numbers that lead there. */
function listPlaces(value: unknown, from: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [from]
  return [
    ...(from.length === 0 ? [] : [from]),
    ...Object.entries(value).flatMap(([name, held]) => listPlaces(held, [...from, name])),
  ]
}

function setAt(value: object, [name = "", ...rest]: readonly string[], to: unknown): void {
  const held = (value as Record<string, unknown>)[name]
  if (rest.length === 0)
    Object.defineProperty(value, name, { value: to, enumerable: true, writable: true, configurable: true })
  else if (typeof held === "object" && held !== null) setAt(held, rest, to)
}
