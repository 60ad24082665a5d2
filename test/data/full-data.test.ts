import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Result } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { listTableDays } from "../../adapters/data-files/claim-records.ts"
import { MissionsRecord, readMissions, SUBJECT_FILES, subjectSchema } from "../../adapters/data-files/file-records.ts"
import { compileFullFacts, compileHistory, compileMissions } from "../../adapters/data-files/full-compile.ts"
import { type FullRecords, readFullRecords } from "../../adapters/data-files/full-read.ts"
import { listPastChanges, listPublished } from "../../adapters/data-files/past-claims.ts"
import { formatRecord } from "../../adapters/files/record-files.ts"
import { openFullFacts, openHistory, openMissions } from "../../src/full.ts"
import { embeddedDataset, lookup } from "../../src/index.ts"

function readRecords(folder = "data"): FullRecords {
  const records = readFullRecords(folder)
  if (Result.isFailure(records)) throw new Error(records.failure.message)
  return records.success
}

describe("the files of the extended facts", () => {
  let records: FullRecords
  beforeAll(() => {
    records = readRecords()
  })

  it("are formatted: writing them again changes no byte", () => {
    for (const subject of SUBJECT_FILES) {
      const text = readFileSync(`data/destinations/${subject}.json`, "utf8")
      expect(formatRecord(subjectSchema(subject), JSON.parse(text)) === text, subject).toBe(true)
    }
    for (const file of readdirSync("data/missions")) {
      const text = readFileSync(`data/missions/${file}`, "utf8")
      expect(formatRecord(MissionsRecord, JSON.parse(text)) === text, file).toBe(true)
    }
  })

  it("list destinations in alphabetical order, each once in a fact", () => {
    for (const subject of SUBJECT_FILES) {
      for (const { destinations } of records.subjects[subject]) {
        expect(destinations, subject).toEqual([...new Set(destinations)].sort())
      }
    }
  })

  it("have no two facts of one kind for the same traveller", () => {
    const many = ["safety", "portal", "stamps", "languages", "arrival-form", "minors"]
    const single = SUBJECT_FILES.filter(subject => !many.includes(subject))
    for (const subject of single) {
      const bound = records.subjects[subject].flatMap(fact =>
        fact.destinations.flatMap(destination =>
          (fact.requirements ?? ["any"]).flatMap(word =>
            (fact.passports ?? ["anybody"]).map(passport => `${destination} ${word} ${passport}`),
          ),
        ),
      )
      expect(bound.length - new Set(bound).size, subject).toBe(0)
    }
  })

  it("name a source for every fact but official sites, unrecorded fees and Åland's missions", () => {
    const unsourced = SUBJECT_FILES.flatMap(subject =>
      records.subjects[subject].filter(fact => fact.source === null).map(fact => `${subject} ${fact.destinations[0]}`),
    ).filter(name => !name.startsWith("portal "))
    expect(unsourced).toEqual(["fee CHE", "issuing ALA"])
  })

  it("name official sites by https, one of a kind for a destination and a passport", () => {
    const sites = records.subjects.portal.flatMap(({ destinations, kind, passports = ["anybody"] }) =>
      destinations.flatMap(destination => passports.map(passport => `${destination} ${kind} ${passport}`)),
    )
    expect(new Set(sites).size).toBe(sites.length)
    for (const { source_url } of records.subjects.portal) expect(source_url).toMatch(/^https:\/\//)
  })

  it("lead nobody to a site that only looks like a state's", () => {
    const lookAlikes = [
      "easecv.com",
      "evisa-iraq.org",
      "evisa-to-saudi-arabia.info",
      "evisaelsalvador.com",
      "evisairaq.com",
      "evisaprime.com",
      "ievisa.com",
      "india-visa-online.org",
      "joinsherpa.com",
      "keta.ne.kr",
      "us-visa-online.org",
      "vietnam-evisa.org",
      "visagov.com",
    ]
    const doors = [...records.subjects.portal, ...records.subjects.application, ...records.subjects["arrival-form"]]
    const hosts = [
      ...doors.map(({ source_url }) => source_url),
      ...records.subjects["arrival-form"].map(({ url }) => url),
      ...records.claims.flatMap(({ pages }) => Object.values(pages).map(({ url }) => url)),
    ].flatMap(url => (typeof url === "string" ? new URL(url).hostname : []))
    const isLike = (host: string) => lookAlikes.some(name => host === name || host.endsWith(`.${name}`))
    expect(hosts.length).toBeGreaterThan(500)
    expect(hosts.filter(isLike)).toEqual([])
  })

  it("name the site to apply at for every destination with an e-visa or an authorisation, but where none was found", () => {
    // evisa.sy took no applications on 2026-10-03; the civil aviation's rules of 2026-03-27 name visas of missions only.
    const NO_SITE = ["SYR evisa"]
    const named = records.subjects.portal.filter(({ source }) => source !== null)
    const known = named.flatMap(({ kind, destinations }) => destinations.map(code => `${code} ${kind}`))
    const { destinations, passports } = embeddedDataset()
    const asked = destinations.flatMap(destination =>
      passports.flatMap(passport => {
        const answer = lookup(passport, destination)
        const kind = answer.kind === "found" ? { e_visa: "evisa", eta: "eta" }[answer.requirement as string] : undefined
        return kind === undefined ? [] : [`${destination} ${kind}`]
      }),
    )
    expect(new Set(asked).size).toBeGreaterThan(100)
    expect([...new Set(asked)].filter(door => !known.includes(door)).sort()).toEqual(NO_SITE)
  })

  it("have official sites without a source only if none was found, which are listed here", () => {
    const unsourced = records.subjects.portal.filter(({ source }) => source === null)
    expect(unsourced.map(({ destinations, kind }) => `${destinations} ${kind}`)).toEqual([
      "ARE evisa",
      "CHN application",
    ])
  })

  it("name an arrival form once for a destination, and whether it is obligatory", () => {
    const forms = records.subjects["arrival-form"]
    const names = forms.map(({ destinations, name }) => `${destinations} ${name}`)
    expect(new Set(names).size).toBe(names.length)
    for (const { destinations, mandatory, form, url } of forms) {
      const isNone = form === "none" || form === "none_found"
      // A voluntary form is listed only if it has an address.
      expect(mandatory === true || isNone || typeof url === "string", `${destinations}`).toBe(true)
      expect(isNone && (mandatory === true || url !== undefined), `${destinations}`).toBe(false)
      expect(form === "paper" && url !== undefined, `${destinations}`).toBe(false)
    }
  })

  it("apply the Visa Code to Schengen's states and Åland, and to nobody else", () => {
    const zone = JSON.parse(readFileSync("data/zones/schengen.json", "utf8")) as { members: { code: string }[] }
    const states = zone.members.map(({ code }) => code).filter(code => code !== "MCO" && code !== "GIB")
    const schengen = records.subjects.application.filter(fact => fact.regime === "schengen")
    const insurance = records.subjects.insurance.filter(fact => fact.source === "eu-regulation-2009-810")
    expect(insurance).toHaveLength(1)
    for (const fact of [...schengen, ...insurance]) {
      expect([...fact.destinations].sort()).toEqual(states.toSorted())
    }
  })

  it("have a mission without a city's name in the capital of its host, and one without a city in none", () => {
    const rows = {
      embassy: [
        ["JPN", "", 1],
        ["USA", null, 2],
      ],
      consulate: [["JPN", "Osaka", 3]],
    } as const
    const record = { operator: "FRA", source: "wikidata-missions", as_of: "2022-11-16", verified_on: null, ...rows }
    const cities = readMissions([record], records.countries).map(({ host, city }) => [host, city])
    expect(cities.sort()).toEqual([
      ["JPN", "Osaka"],
      ["JPN", "Tokyo"],
      ["USA", null],
    ])
  })

  it("contain every mission and every change that is compiled", () => {
    const missions = openMissions(compileMissions(records))
    for (const record of records.missions) {
      const { operator } = record
      const sent = readMissions([record], records.countries)
      for (const host of new Set(sent.map(mission => mission.host))) {
        const there = sent.filter(mission => mission.host === host && mission.closed === undefined)
        const opened = missions.listMissions(operator, host)
        const plain = (
          list: readonly {
            kind: string
            city?: string | null
            website?: string | null
            phone?: string | null
            email?: string | null
          }[],
        ) =>
          list
            .map(({ kind, city, website, phone, email }) =>
              [kind, city ?? null, website ?? null, phone ?? null, email ?? null].join(" "),
            )
            .sort()
        expect(plain(opened), `${operator} ${host}`).toEqual(plain(there))
      }
    }
    const history = openHistory(compileHistory(records))
    // About passports that an authority's own lists name, tables are not asked.
    const named = new Set(
      listPublished(records).flatMap(({ destination, changes }) =>
        changes.flatMap(({ passports }) => passports.map(passport => passport + destination)),
      ),
    )
    const tableDays = listTableDays(records.tables)
    for (const { destination, changes } of listPastChanges(records)) {
      for (const change of changes) {
        if (change.published === true) continue
        for (const passport of change.passports) {
          if (named.has(passport + destination)) continue
          const before = tableDays[tableDays.indexOf(change.on) - 1]
          expect(history.listChanges(passport, destination)).toContainEqual({
            on: change.on,
            ...(before === undefined ? {} : { seenAfter: before }),
            from: change.from,
            to: change.to,
            daysBefore: change.days_before ?? null,
            daysAfter: change.days_after ?? null,
            afterBan: change.after_ban ?? false,
          })
        }
      }
    }
  })

  it("compile to the same facts: advice, with its source and day", () => {
    const facts = openFullFacts(compileFullFacts(records))
    for (const record of records.subjects.safety) {
      const opened = facts.factsOf(record.destinations[0] as string).safety
      expect(opened).toContainEqual(
        expect.objectContaining({
          origin: expect.objectContaining({ asOf: record.as_of, verifiedOn: record.verified_on }),
          value: expect.objectContaining({ issuer: record.issuer }),
        }),
      )
    }
  })

  it("compile to the same bytes every time", () => {
    expect(JSON.stringify(compileFullFacts(readRecords()))).toBe(JSON.stringify(compileFullFacts(records)))
  })
})

describe("a mistake in the files", () => {
  let folder = ""
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const MISTAKES = [
    [
      "an unknown code",
      "destinations/stamps.json",
      '"IRN"',
      '"IRQQ"',
      "[0].destinations IRQQ is not a code of countries.json.",
    ],
    [
      "an unknown source",
      "destinations/stamps.json",
      "us-country-information",
      "nobody",
      "[0].source nobody is not a source of sources.json.",
    ],
    [
      "a day that no calendar has",
      "destinations/border.json",
      "2025-10-12",
      "2025-02-30",
      "[0].as_of 2025-02-30 is not a calendar date.",
    ],
    [
      "an announcement for no day",
      "destinations/planned-authorisation.json",
      '"2026-10-01"',
      '"2026-13-01"',
      '[0].not_before "2026-13-01" is not a calendar date YYYY-MM-DD from 1900 to 2199.',
    ],
    [
      "an unknown requirement",
      "destinations/border.json",
      '"visa_free"',
      '"visafree"',
      "[0].requirements visafree is not a requirement.",
    ],
    [
      "a site that is not an address",
      "destinations/portal.json",
      "https://www.evisa.gov.tr/en/",
      "javascript:alert(1)",
      "source_url an address that begins with http:// or https:// is expected.",
    ],
    [
      "a busy destination with an unknown code",
      "busiest.json",
      '"FRA"',
      '"FRAA"',
      "destinations[0].code FRAA is not a code of countries.json.",
    ],
    [
      "figures of an unknown source",
      "busiest.json",
      "unwto-highlights-2019",
      "nobody",
      "source nobody is not a source of sources.json.",
    ],
    [
      "an amount in no currency",
      "destinations/insurance.json",
      '"EUR"',
      '"euro"',
      '[1].min_coverage.currency "euro" is not a currency code such as USD.',
    ],
    [
      "a form with an invalid address",
      "destinations/arrival-form.json",
      '"url": "https://edcardaruba.aw/"',
      '"url": "edcardaruba.aw"',
      '[0].url "edcardaruba.aw" is not an address that begins with http:// or https://.',
    ],
    [
      "arrivals from an unknown country",
      "destinations/yellow-fever.json",
      '"UGA"',
      '"UAG"',
      'countries[3] "UAG" is not one of the 250 destinations.',
    ],
    ["an unknown kind of mission", "missions/ALB.json", '"embassy"', '"castle"', "castle Expected no excess property"],
    [
      "a file that is not named after its record",
      "missions/DZA.json",
      '"operator": "DZA"',
      '"operator": "ALA"',
      " is named after its record: ALA.json is expected.",
    ],
  ] as const

  const listComplaints = () => {
    const records = readFullRecords(folder)
    return Result.isFailure(records)
      ? records.failure.issues.map(({ file, field, message }) => ({ file, text: `${field} ${message}` }))
      : []
  }

  const breakFile = (name: string, change: (text: string) => string) => {
    cpSync(join("data", name), join(folder, name))
    const path = join(folder, name)
    writeFileSync(path, change(readFileSync(path, "utf8")))
  }

  let complaints: ReturnType<typeof listComplaints> = []
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "landfall-full-"))
    cpSync("data", folder, { recursive: true })
    // All at once: one mistake must not hide another.
    for (const [file, mistakes] of Map.groupBy(MISTAKES, ([, file]) => file)) {
      breakFile(file, text => mistakes.reduce((broken, [, , from, to]) => broken.replace(from, to), text))
    }
    complaints = listComplaints()
    for (const [, file] of MISTAKES) cpSync(join("data", file), join(folder, file))
  })

  it.each(MISTAKES)("is reported with its file and field: %s", (_, file, __, ___, complaint) => {
    const found = complaints.filter(({ text }) => text.endsWith(complaint))
    expect(
      found.map(({ file }) => file.slice(folder.length + 1)),
      complaints.map(({ text }) => text).join("\n"),
    ).toContain(file)
  })

  it("does not stop at the first", () => {
    breakFile("destinations/stamps.json", text => text.replaceAll("us-country-information", "nobody"))
    expect(listComplaints()).toHaveLength(4)
  })

  it("is reported for an unknown field", () => {
    breakFile("destinations/stamps.json", text => text.replace('"of"', '"from"'))
    expect(listComplaints()[0]?.text).toContain("[0].")
  })
})
