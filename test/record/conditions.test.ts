import { beforeAll, describe, expect, it } from "vitest"
import type { PolicyCondition } from "../../src/compiler.ts"
import {
  assembleFullRecord,
  buildCheckRecord,
  type ConditionField,
  LANGUAGES,
  type Language,
  type LocalisedFacts,
  openLocalisedFacts,
  renderCheckMarkdown,
  renderMarkdown,
} from "../../src/full.ts"
import { CONDITION_KINDS } from "../../src/rules/provision-kinds.ts"
import { openSmall, policy, rule, terms, waiver, zone } from "../dataset/small-facts.ts"
import { openFacts } from "./localised-facts.ts"

/** One condition of every kind, with every parameter and every word. */
const EVERY_KIND: readonly PolicyCondition[] = [
  {
    kind: "held_document",
    held: [
      {
        kind: "visa",
        issuers: ["@area", "CCC"],
        multipleEntry: true,
        usedBefore: true,
        physical: true,
        enteredIssuerFirst: true,
        types: ["C", "D"],
        typesExcept: ["A"],
        validDaysAfterEntry: 90,
        validDaysAfterExit: 0,
        remark: "On paper.",
      },
      { kind: "residence_permit", issuers: ["@OLD"], permanent: true, expiredWithinYears: 10 },
      { kind: "visa", issuers: ["AAA"], validDaysAfterExit: 45 },
    ],
  },
  {
    kind: "registration",
    name: "eTA",
    url: "https://eta.example/",
    hoursBefore: 48,
    fee: { amount: 650, currency: "USD" },
  },
  { kind: "gateway_visa", states: ["@area"] },
  { kind: "gateway_visa", states: ["AAA", "CCC"], entries: 2 },
  { kind: "border_control", states: ["CCC"] },
  {
    kind: "sponsor",
    by: ["agency", "airline", "employer", "group", "hotel", "invitation", "relative", "sponsor"],
  },
  { kind: "special_document", name: "Travel Permit" },
  { kind: "not_enforced" },
  { kind: "not_enforced", borders: ["air", "land", "sea"] },
  {
    kind: "exempt",
    who: [
      "adoptees",
      "athletes",
      "diplomats",
      "dual_nationals",
      "national_interest",
      "permanent_residents",
      "relatives",
      "residents",
      "special_immigrants",
    ],
    issuedBefore: "2026-01-01",
  },
  { kind: "suspension", visas: ["B-1", "B-2"] },
  { kind: "bond", leastAmount: 5000, mostAmount: 15_000, currency: "USD" },
  { kind: "entry_points", names: ["North Gate"], borders: ["air"] },
  {
    kind: "purpose",
    purposes: ["business", "exchange", "family", "medical", "pilgrimage", "tourism", "transit"],
  },
  { kind: "group", least: 3 },
  { kind: "bring", proofs: ["accommodation", "funds", "insurance", "invitation", "return_ticket"] },
  { kind: "passport_kind", features: ["biometric", "identity_number", "machine_readable"] },
  { kind: "age", least: 18, most: 65 },
  { kind: "asked_at", borders: ["air"], elsewhere: "visa_free" },
  { kind: "also", requirement: "e_visa" },
  { kind: "also", requirement: "eta", remark: "It is a cruise ship." },
  { kind: "other", text: "Ask before." },
]

const sources = [
  { id: "table", name: "A table", url: null, imported: true, snapshotOn: "2026-01-01" },
  { id: "law", name: "A law", url: "https://law.example/", imported: false, snapshotOn: null },
]
const dataset = openSmall({
  sources,
  zones: [zone()],
  policies: [
    policy("BBB", {
      note: "An island.",
      conditions: EVERY_KIND,
      defaults: [terms()],
      reviewed: [
        rule(["AAA"], {
          requirement: "visa_free",
          days: 30,
          until: "2026-07-01",
          source: "law",
          sourceUrl: "https://law.example/page",
          verifiedOn: "2026-05-01",
          note: "A trial.",
        }),
      ],
    }),
    policy("CCC", { defaults: [terms({ requirement: "e_visa", days: 30 })] }),
  ],
  waivers: [
    waiver({
      requirement: "visa_free",
      days: 60,
      until: "2027-01-01",
      note: "By decree.",
      conditions: [{ kind: "group", least: 2 }],
    }),
  ],
  changeLog: [
    { destinations: ["BBB"], on: "2026-05-15", change: "Visas.", source: "law", sourceUrl: null, verifiedOn: null },
  ],
  corroboration: [
    {
      destination: "CCC",
      checks: [
        {
          source: "law",
          sourceUrl: "https://law.example/ccc",
          checkedOn: "2026-05-20",
          says: [
            { requirement: "e_visa", days: null, passports: ["AAA"] },
            { requirement: "visa_free", days: 14, passports: ["BBB"] },
          ],
        },
      ],
    },
  ],
})

describe("the conditions of an answer", () => {
  const localisedFacts = new Map<Language, LocalisedFacts>()
  beforeAll(async () => {
    for (const language of LANGUAGES) {
      const { facts, locale } = await openFacts(language)
      localisedFacts.set(language, openLocalisedFacts({ dataset, facts, locale }))
    }
  })
  const localisedFactsOf = (language: Language) => localisedFacts.get(language) as LocalisedFacts
  const checkOf = (language: Language, passport = "CCC", destination = "BBB", on?: string) => {
    const record = buildCheckRecord(localisedFactsOf(language), passport, destination, { upgradeUrl: "/pricing", on })
    if (record === null) throw new Error(`${passport} ${destination} has no record`)
    return record
  }
  const conditionsOf = (language: Language, ...asked: [string?, string?, string?]): readonly ConditionField[] =>
    checkOf(language, ...asked).conditions ?? []

  it("are of every kind, and of the waivers and the notes beside them", () => {
    const kinds = new Set(conditionsOf("en").map(({ kind }) => kind))
    expect([...kinds].sort()).toEqual([...CONDITION_KINDS, "note", "waiver"].sort())
  })

  it("are written in plain English", () => {
    expect(conditionsOf("en").map(({ text }) => text)).toEqual([
      "One of these documents is needed: visa (BBB, CCC, CCC; for several entries; used at least once; not electronic; after a stay in the issuing country; class: C, D; not of class: A; validity left on arrival, at least: 90 days; valid for the whole stay; On paper.); residence permit (AAA; permanent; if expired, less long ago than: 10 years); visa (AAA; validity left on departure, at least: 45 days).",
      "A registration is needed at least 48 hours before the arrival: eTA, for $650 (https://eta.example/).",
      "The way leads through BBB, CCC: whoever needs a visa there needs it too.",
      "The way leads through AAA, CCC: whoever needs a visa there needs it too, for 2 entries.",
      "CCC controls the border, and its own rules of entry apply there.",
      "Somebody else has to apply for the traveller: a travel agency, the airline, the employer, the organiser of a group, the hotel, the person or body that invites, a relative in the country or a sponsor in the country.",
      "This document is needed instead of the passport: Travel Permit.",
      "The law asks for it, and the borders do not check it.",
      "The law asks for it, and the border by air, land and sea does not check it.",
      "It does not concern adopted children, athletes and their teams at major events, holders of diplomatic and official visas, dual nationals travelling on another passport, persons admitted in the national interest, permanent residents, close relatives of citizens, residents, holders of special immigrant visas, holders of visas issued before January 1, 2026.",
      "Visas of these classes are not issued to holders of this passport: B-1, B-2.",
      "A bond of $5,000 to $15,000 may be asked for, paid back on leaving in time.",
      "Entry is possible only by air, at North Gate.",
      "Only for business, exchange visits, visits to family and friends, medical treatment, pilgrimage, tourism or transit.",
      "Only in groups of at least 3 people.",
      "To be shown: proof of accommodation, proof of sufficient means, travel insurance, an invitation and a ticket for the onward or return journey.",
      "The passport has to be of this kind: biometric, with an identity card number, machine-readable.",
      "Only for people from 18 up to 65 years of age.",
      "It is asked of arrivals by air only. Others enter without a visa.",
      "The same entry can also be had in another way: with an electronic visa.",
      "The same entry can also be had in another way: with a travel authorisation, if this is so: it is a cruise ship.",
      "Ask before.",
      "Visa-free (60 days), with one of these documents: visa (CCC). Only in groups of at least 2 people. Announced until December 31, 2026. By decree.",
      "An island.",
    ])
  })

  it.each(LANGUAGES)("are complete in %s, each with its own text", language => {
    const texts = conditionsOf(language).map(({ text }) => text)
    expect(
      texts.filter(text => text.trim() === "" || /[{}]|\bundefined\b|\bnull\b|\bNaN\b|\[object/.test(text)),
    ).toEqual([])
    expect(new Set(texts).size).toBe(texts.length)
  })

  it.each(LANGUAGES)("are on the pages in %s, as text without markup", language => {
    const localised = localisedFactsOf(language)
    const record = assembleFullRecord(localised, "CCC", "BBB")
    if (record === null) throw new Error("no record")
    const heading = `## ${localised.locale.say({ key: "label.conditions" })}`
    for (const page of [
      renderMarkdown(record, localised.locale),
      renderCheckMarkdown(checkOf(language), localised.locale),
    ]) {
      expect(page).toContain(heading)
      const section = page.slice(page.indexOf(heading)).split("\n\n")[1] ?? ""
      expect(section.split("\n").length).toBe(conditionsOf(language).length)
      expect(page).not.toMatch(/[{}]|\bundefined\b|\[object/)
    }
  })

  it("list under each mode of entry the borders where entry is allowed", () => {
    const localised = localisedFactsOf("en")
    const record = assembleFullRecord(localised, "CCC", "BBB")
    const said = conditionsOf("en").find(({ kind }) => kind === "entry_points")?.text
    expect(said).toContain("by air")
    expect(record?.entry_by_mode).toEqual({ air: said, land: said, sea: said })
    expect(assembleFullRecord(localised, "AAA", "CCC")?.entry_by_mode).toBeUndefined()
  })

  it("name the other document for travellers without a passport, and no visas in a passport", () => {
    const record = assembleFullRecord(localisedFactsOf("en"), "CCC", "BBB")
    expect(record?.documents_required).toEqual(["This document is needed instead of the passport: Travel Permit."])
    expect(record?.process).toBeUndefined()
    expect(record?.sources?.flatMap(({ fields }) => fields)).not.toContain("process")
    expect(checkOf("en")._upgrade_preview).toMatchObject({ documents_required: 1, process_steps: 0, visa_fees: false })
    expect(assembleFullRecord(localisedFactsOf("en"), "AAA", "CCC")?.process?.length).toBeGreaterThan(3)
  })

  it("name the source of each", () => {
    expect(conditionsOf("en").find(({ kind }) => kind === "waiver")?.source_url).toBe("https://law.example/")
    expect(conditionsOf("en").find(({ kind }) => kind === "group")?.source_url).toBeNull()
  })

  it("isolate the direction of names in Latin letters in Arabic", () => {
    for (const { text } of conditionsOf("ar")) {
      // The made-up countries have no names, only codes.
      const bare = text.replaceAll(/\u2068[^\u2068\u2069]*\u2069|AAA|BBB|CCC/g, "")
      expect(bare.match(/[A-Za-z]{2,}/g) ?? []).toEqual([])
    }
  })

  it("say when a rule ends, that it has ended, what changed, and which page was read", () => {
    expect(checkOf("en", "AAA")).toMatchObject({
      ends_on: "2026-06-30",
      changed_since: { on: "2026-05-15", source_url: "https://law.example/" },
    })
    expect(checkOf("en", "AAA", "BBB", "2026-07-01")).toMatchObject({ after_expiry: true, ended_on: "2026-06-30" })
    expect(checkOf("en", "AAA", "BBB", "2026-07-01").ends_on).toBeUndefined()
    expect(assembleFullRecord(localisedFactsOf("en"), "AAA", "BBB")).toMatchObject({
      source_url: "https://law.example/page",
      last_verified_at: "2026-05-01T00:00:00Z",
      ends_on: "2026-06-30",
    })
  })

  it("give the answer of a second source, and the days for which no law is known", () => {
    const second = { source: "A law", source_url: "https://law.example/ccc", checked_on: "2026-05-20" }
    expect(checkOf("en", "AAA", "CCC")).toMatchObject({ stay_basis: "table", corroborated: second })
    expect(checkOf("en", "BBB", "CCC")).toMatchObject({
      disputed: { ...second, requirement: "visa_free", visa_free_days: 14 },
    })
    const page = renderCheckMarkdown(checkOf("en", "BBB", "CCC"), localisedFactsOf("en").locale)
    expect(page).toContain("A second source says something else: Visa-free (14 days) (A law, May 20, 2026)")
  })

  it("are nothing for a citizen on the way home", () => {
    const record = checkOf("en", "CCC", "CCC")
    expect(Object.keys(record)).toEqual([
      "passport",
      "destination",
      "requirement",
      "visa_free_days",
      "visa_required",
      "home",
      "last_verified",
      "_hint",
      "_upgrade_preview",
    ])
  })
})
