/**
 * Compares `lookupHeld` and `findWaivers` with a decision on one stay, for every passport, destination and document that a rule names: all judge
 * documents and choose the way of entry, so they must give one answer. What the way and the days come to is compared on several days of entry.
 *
 * Not compared: the documents that are used where nothing is lawful. Not asked: passports that expire, whose validity `lookupHeld` does not know,
 * and days of a log, whose later changes it does not weigh.
 */

import fc from "fast-check"
import {
  decide,
  embeddedDataset,
  findWaivers,
  formatCivilDate,
  type HeldAnswer,
  type HeldDocument,
  lookupHeld,
  parseCivilDate,
} from "../../src/index.ts"
import { readProvisions } from "../../src/rules/provisions.ts"
import type { Decision } from "../../src/trip/answer-fields.ts"

const dataset = embeddedDataset()
const FROM = "2026-12-01"
/** Before and after an authorisation is announced, and days from which three and four months have different numbers of days. */
const DAYS_OF_ENTRY = [FROM, "2027-02-10", "2027-10-15", "2028-06-13"]

/** What the holders of a document say of it. */
const SAID: readonly Partial<HeldDocument>[] = [
  {},
  { validUntil: "2030-01-01" },
  { validUntil: "2026-11-25" },
  { validUntil: "2026-12-03" },
  { validUntil: "2030-01-01", electronic: true, used: true },
  {
    validUntil: "2030-01-01",
    electronic: false,
    entries: "multiple",
    used: true,
    issuedOn: "2024-01-01",
    durationOfStayDays: 90,
  },
]

// By destination: the kinds and issuers that its waivers name; of a zone or bloc some members only, unless `isWhole`.
function listNamed(isWhole: boolean): ReadonlyMap<string, ReadonlySet<string>> {
  const index = readProvisions(dataset)
  const named = new Map(dataset.destinations.map(code => [code, new Set<string>()]))
  for (const { value, destinations } of readProvisions(dataset).list("waivers")) {
    const documents = value.held.flatMap(({ kind, issuers }) =>
      issuers.flatMap(selector => {
        const members = index.listMembers(selector)
        const some = isWhole || members.length < 4 ? members : [members[0]!, "DEU", members.at(-1)!]
        return some.filter(code => members.includes(code)).map(code => `${kind} ${code}`)
      }),
    )
    for (const code of destinations) for (const each of documents) named.get(code)?.add(each)
  }
  return named
}

const describeDocument = (kindAndIssuer: string, said: Partial<HeldDocument>): HeldDocument => {
  const [kind, issuer] = kindAndIssuer.split(" ") as ["visa", string]
  const { durationOfStayDays, ...rest } = said
  const isPermit = (kind as string) === "residence_permit"
  return { kind, issuer, ...(isPermit ? { ...rest, permanent: said.used ?? null } : said) } as HeldDocument
}

// Where nothing is lawful, the document makes no difference.
function tellHeld({ requirement, days, because, possible, unused }: HeldAnswer, isCompared: boolean) {
  return {
    requirement,
    days,
    waiver: because.find(({ waiver }) => waiver !== null)?.waiver ?? null,
    used: isCompared ? because.map(({ document }) => document).sort() : [],
    possible: possible
      .map(({ document, waiver, toCheck }) => [document, waiver.requirement, waiver.days, ...toCheck].join())
      .sort(),
    unused,
  }
}

function tellDecided({ steps, conditions, unknowns, held }: Decision, isCompared: boolean) {
  const { requirement, maxStay } = steps[0]!
  if (requirement.status === "unknown") return null
  return {
    requirement: requirement.value,
    days: maxStay.status === "known" && maxStay.value !== "unlimited" ? maxStay.value : null,
    waiver: requirement.because?.find(({ waiver }) => waiver !== null)?.waiver ?? null,
    used: isCompared ? held.flatMap(({ steps: used }, at) => (used.length > 0 ? [at] : [])) : [],
    possible: conditions
      .flatMap(({ code, params }) =>
        code === "check_held_document"
          ? [[params.held, params.requirement, params.days, ...(params.checks as readonly string[])].join()]
          : [],
      )
      .sort(),
    unused: held.flatMap((_, at) =>
      unknowns.some(({ field, code }) => code === "not_modelled" && field === `held[${at}]`) ? [at] : [],
    ),
  }
}

/** Asks both about one traveller; null if they agree. */
export function compareJudges(
  passport: string,
  destination: string,
  held: readonly HeldDocument[],
  to: string,
  from = FROM,
): string | null {
  const looked = lookupHeld(dataset, passport, destination, { held, on: from, exitOn: to })
  const dates = { passportIssued: "2026-11-01", passportExpiry: "2036-11-01" }
  const judged = decide(dataset, { passport, ...dates, held, stops: [{ destination, from, to }] })
  if (!looked.ok || !judged.ok || looked.value.kind !== "found" || judged.value.kind !== "decided") return "refused"
  const isCompared = judged.value.outcome !== "blocked"
  const one = JSON.stringify(tellHeld(looked.value, isCompared))
  const other = JSON.stringify(tellDecided(judged.value, isCompared))
  const listed = findWaivers(dataset, passport, destination, parseCivilDate(from)!)
  const step = judged.value.steps[0]!.requirement
  const used = step.status === "known" ? (step.because ?? []) : []
  const unlisted = [...used, ...looked.value.possible].filter(
    ({ waiver }) => waiver !== null && !listed.includes(waiver),
  )
  if (unlisted.length > 0) return `${passport} ${destination} ${JSON.stringify(held)}: a waiver that is not listed`
  return one === other
    ? null
    : `${passport} ${destination} ${JSON.stringify(held)} from ${from} until ${to}: ${one} but ${other}`
}

/** Compares them for every `step`-th pair and every stay that ends on one of some days; returns the differences and the number of questions. */
export function sweepJudges(ends: readonly string[], { step = 1, isWhole = true } = {}) {
  const named = listNamed(isWhole)
  const differences: string[] = []
  let asked = 0
  for (const [column, destination] of dataset.destinations.entries()) {
    for (const [row, passport] of dataset.passports.entries()) {
      if ((row * dataset.destinations.length + column) % step !== 0) continue
      const base = lookupHeld(dataset, passport, destination, { held: [] })
      if (!base.ok || base.value.kind !== "found") continue
      const { follows } = base.value.base
      const places = follows === null ? [destination] : [destination, follows]
      const documents = new Set(
        places.flatMap(code => [...named.get(code)!, `visa ${code}`, `residence_permit ${code}`, `eta ${code}`]),
      )
      for (const document of [...documents, "visa MNG"]) {
        for (const said of SAID) {
          for (const to of ends) {
            asked++
            const difference = compareJudges(passport, destination, [describeDocument(document, said)], to)
            if (difference !== null) differences.push(difference)
          }
        }
      }
    }
  }
  return { asked, differences }
}

const random = fc.record(
  {
    type: fc.constantFrom("A", "C", "D", "B1/B2", "F1"),
    validUntil: fc.constantFrom("2026-11-25", "2026-12-03", "2027-03-01", "2027-12-31", "2028-08-30", "2030-01-01"),
    entries: fc.constantFrom(1, 2, "multiple" as const),
    durationOfStayDays: fc.constantFrom(5, 30, 90),
    used: fc.boolean(),
    electronic: fc.boolean(),
    issuedOn: fc.constantFrom("2024-01-01", "2026-02-01"),
  },
  { requiredKeys: [] },
)
const ISSUERS = [
  "USA",
  "GBR",
  "CAN",
  "FRA",
  "DEU",
  "SGP",
  "JPN",
  "AUS",
  "IRL",
  "CYP",
  "NZL",
  "ARE",
  "SAU",
  "CHE",
  "KOR",
  "MCO",
  "TUR",
  "MEX",
]

/** Compares them for random pairs with up to four random documents, of which many are the destination's own; returns how many differ. */
export function compareRandomly(count: number): readonly string[] {
  const differences: string[] = []
  const pair = fc.tuple(fc.constantFrom(...dataset.passports), fc.constantFrom(...dataset.destinations))
  const traveller = pair.chain(([passport, destination]) => {
    const issuer = fc.constantFrom(...ISSUERS, ...new Array<string>(8).fill(destination))
    const kind = fc.constantFrom("visa", "visa", "residence_permit", "eta")
    const document = fc
      .tuple(kind, issuer, random)
      .map(([of, by, said]) => describeDocument(`${of} ${by}`, of === "eta" ? {} : said))
    const held = fc.array(document, { minLength: 1, maxLength: 4 })
    const days = fc.tuple(fc.constantFrom(...DAYS_OF_ENTRY), fc.constantFrom(1, 4, 19, 84, 90, 100, 122))
    return days.chain(([entry, length]) => {
      const to = formatCivilDate(parseCivilDate(entry)! + length)
      return fc.tuple(fc.constant(passport), fc.constant(destination), held, fc.constant(to), fc.constant(entry))
    })
  })
  fc.assert(
    fc.property(traveller, asked => {
      const difference = compareJudges(...asked)
      if (difference !== null && difference !== "refused") differences.push(difference)
    }),
    { numRuns: count },
  )
  return differences
}
