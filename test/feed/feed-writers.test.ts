import { describe, expect, it } from "vitest"
import { type FeedEntry, type FeedHead, tellEvent, writeAtom, writeCalendar } from "../../adapters/events/feeds.ts"
import { listAtomFaults, readCalendar } from "./readers.ts"

const head: FeedHead = {
  title: "Changes of visa rules",
  scope: "",
  url: "https://feed.example/changes.atom?passport=FRA&destination=CHN",
  startedAt: "2026-11-01T00:00:00.000Z",
}

const entry = (more: Partial<FeedEntry> = {}): FeedEntry => ({
  id: "evt_1",
  at: "2026-11-20T08:00:00.000Z",
  title: "China for passports of France: no visa, 30 days (before: a visa beforehand)",
  text: "In effect from 2026-12-31. Sources: a page (https://example.org/?a=1&b=2).",
  tags: ["FRA", "CHN", "policy_changed", "minor"],
  effectiveOn: "2026-12-31",
  ...more,
})
const awkward = entry({
  id: "evt_2",
  title: 'Côte d’Ivoire; "Curaçao", 東京 & <b>\u0000\u0007\ud800\uffff',
  text: "a\\b;c,d\r\nsecond line \u{1f600} ".repeat(20),
})

describe("the Atom feed", () => {
  it("follows the rules of RFC 4287, also where it has no entries or awkward ones", () => {
    for (const entries of [[], [entry()], [entry(), awkward]]) {
      expect(listAtomFaults(writeAtom(head, entries))).toEqual([])
    }
  })

  it("is checked by rules that detect a broken feed", () => {
    const good = writeAtom(head, [entry()])
    const broken: readonly (readonly [string, string, string])[] = [
      ["<name>Landfall</name>", "", "the feed has no author"],
      [
        "2026-11-20T08:00:00.000Z</updated>\n    <cat",
        "20 November</updated>\n    <cat",
        "updated of an entry is no RFC 3339 instant: 20 November",
      ],
      ["/evt_1</id>", "/evt 1</id>", "id of an entry is no IRI: tag:github.com,2026:landfall-visa/landfall/evt 1"],
      ["&amp;destination", "&destination", "it is no well-formed XML"],
    ]
    for (const [from, to, fault] of broken) {
      expect(good).toContain(from)
      expect(listAtomFaults(good.replace(from, to))).toEqual([fault])
    }
    expect(listAtomFaults(writeAtom(head, [entry(), entry()]))).toEqual(["two entries have one id"])
  })

  it("has the date of its newest entry, or of its beginning while it is empty", () => {
    const later = entry({ id: "evt_3", at: "2026-11-21T08:00:00.000Z" })
    expect(writeAtom(head, [entry(), later])).toContain("\n  <updated>2026-11-21T08:00:00.000Z</updated>\n  <author>")
    expect(writeAtom(head, [])).toContain("<updated>2026-11-01T00:00:00.000Z</updated>")
  })
})

describe("the calendar", () => {
  it("is read by ical.js as whole days, with every character", async () => {
    const { events } = await readCalendar(writeCalendar(head, [entry(), awkward]))
    expect(events).toHaveLength(2)
    expect(events[0]).toEqual({
      uid: "evt_1@landfall",
      summary: entry().title,
      description: entry().text,
      start: "2026-12-31",
      end: "2027-01-01",
      isWholeDay: true,
      stamp: "2026-11-20T08:00:00Z",
    })
    expect(events[1]?.description).toBe(awkward.text.replaceAll("\r\n", "\n"))
  })

  it("folds lines at 75 octets, ends them with CRLF, and is valid without any event", async () => {
    const lines = writeCalendar(head, [awkward]).split("\r\n")
    expect(Math.max(...lines.map(line => Buffer.byteLength(line)))).toBeLessThanOrEqual(75)
    expect(lines.some(line => /[\r\n]/.test(line))).toBe(false)
    const empty = await readCalendar(writeCalendar(head, []))
    expect([empty.version, empty.components, empty.events]).toEqual(["2.0", ["vtimezone"], []])
  })
})

describe("an event in words", () => {
  const told = (type: string, data: object) =>
    tellEvent({
      id: "evt_1",
      type,
      passport: "FRA",
      destination: "CHN",
      severity: "major",
      effective_from: "2027-01-01",
      created_at: Date.parse("2026-11-20T08:00:00Z"),
      body: JSON.stringify({ sources: [], ...data }),
    })
  const free = { requirement: "visa_free", stay_days: 30 }
  const visa = { requirement: "visa_required", stay_days: null }

  it("says what is needed before and after, whether it is announced, and what else changed", () => {
    const start = "China for passports of France: "
    expect(told("visa.policy_changed", { previous: free, current: visa }).title).toBe(
      `${start}a visa beforehand (before: no visa, 30 days)`,
    )
    expect(told("visa.policy_announced", { previous: visa, current: free }).title).toBe(
      `${start}no visa, 30 days from 2027-01-01 (until then a visa beforehand)`,
    )
    expect(told("visa.policy_changed", { previous: visa, current: visa, fields: ["fee"] }).title).toBe(
      `${start}a visa beforehand; changed: fee`,
    )
    expect(told("visa.policy_changed", { previous: null, current: free }).title).toBe(
      `${start}no visa, 30 days (before: no record)`,
    )
    expect(told("visa.source_updated", { previous: {}, current: {} }).title).toBe(`${start}the source was updated`)
  })

  it("names its sources, or says that it has none", () => {
    const sources = [
      { name: "Embassy", url: "https://example.org/" },
      { name: "Gazette", url: null },
    ]
    const said = { previous: visa, current: free }
    expect(told("visa.policy_changed", { ...said, sources }).text).toContain(
      "In effect from 2027-01-01. Sources: Embassy (https://example.org/); Gazette.",
    )
    expect(told("visa.policy_changed", said).text).toContain("No source is recorded.")
  })
})
