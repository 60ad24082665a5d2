/** `landfall diff BEFORE AFTER`: which pairs changed between two datasets, and how severe each change is. */
import { Effect } from "effect"
import type { PolicyChange, PolicyTerms } from "../../src/full.ts"
import { type Dataset, diffDatasets, type Found, listScheduledChanges, type PairChange } from "../../src/index.ts"
import { argument, load, makeCommand, optionalArgument, text } from "./command.ts"
import { nameCount, openDatasetFile } from "./command-outcome.ts"
import { CalledWrongly, failed } from "./failure.ts"
import { lang, loadWords, type Words } from "./language.ts"
import { table } from "./print.ts"

const FIELDS = ["record", "requirement", "days", "uncertain", "basis", "source", "verified_on"] as const

export const diff = makeCommand("diff", {
  about: "List the pairs that differ between two datasets",
  examples: {
    "landfall diff old.landfall": "An older file against the embedded dataset",
    "landfall diff old.landfall new.landfall --fields requirement --json": "Two files, for programs",
  },
  takes: {
    before: argument("The older dataset file"),
    after: optionalArgument("The newer dataset file; the embedded dataset when absent"),
    fields: text(
      "LIST",
      `What to compare, by commas: ${FIELDS.join(",")}; record,requirement,days,uncertain when absent`,
    ),
    lang,
  },
  *run({ before, after, fields, lang }) {
    const older = yield* openDatasetFile(before)
    const newer = yield* openDatasetFile(after)
    const words = yield* loadWords(lang)
    const options = {
      fields: (yield* readFields(fields)) ?? (["record", "requirement", "days", "uncertain"] as const),
    }
    const changes = diffDatasets(older, newer, options)
    const scheduled = listScheduledChanges(newer, newer.asOf, options)
    const facts = fields === undefined ? yield* compareFacts(older, newer) : null
    const major = changes.filter(change => change.severity === "major").length
    const list = (head: readonly string[], rows: readonly (readonly string[])[]) =>
      rows.length === 0 ? [] : [table(head, rows)]
    const rows = changes.map(change => toRow(change, words))
    const ofFacts = (facts ?? []).map(change => [
      `${change.passport} ${change.destination}`,
      ...FACT_FIELDS.map(field => describeFact(field, change)),
    ])
    const ahead = scheduled.map(change => [change.effectiveFrom, ...toRow(change, words).slice(0, 3)])
    return {
      json: {
        before: older.version,
        after: newer.version,
        count: changes.length,
        changes: changes.map(describePairChange),
        scheduled: scheduled.map(change => ({ ...describePairChange(change), effective_from: change.effectiveFrom })),
        ...(facts === null ? {} : { facts: facts.map(toFactsWire) }),
      },
      text: [
        ...list(["pair", "before", "after", "severity"], rows),
        `${changes.length > 0 ? "\n" : ""}${older.version} → ${newer.version}: ${nameCount(changes.length, "pair differs", "pairs differ")}, ${major} of them majorly.`,
        ...(ofFacts.length === 0 ? [] : ["", table(["pair", ...FACT_FIELDS], ofFacts)]),
        ...(facts === null ? [] : [`\nFees, processing days or passport validity differ for ${facts.length} pairs.`]),
        ...(ahead.length === 0 ? [] : [`\nWhat dated rules of ${newer.version} change after ${newer.asOf}:\n`]),
        ...list(["from", "pair", "before", "after"], ahead),
      ],
    }
  },
})

const FACT_FIELDS = ["fee", "processing_days", "validity"] as const
type FactField = (typeof FACT_FIELDS)[number]

/** The differences between the facts of two datasets; null if neither has its own facts. */
const compareFacts = (older: Dataset, newer: Dataset) =>
  Effect.gen(function* () {
    const { diffPolicies, readDatasetFacts, loadFactsOf } = yield* load(() => [
      import("../../src/full.ts"),
      import("../answers/dataset-file.ts"),
    ])
    for (const read of [readDatasetFacts(older), readDatasetFacts(newer)]) {
      if (!read.ok) return yield* failed(read.error.message)
    }
    const haveOwn = [older, newer].some(dataset => {
      const read = readDatasetFacts(dataset)
      return read.ok && read.value !== null
    })
    if (!haveOwn) return null
    const [before, after] = yield* Effect.promise(() => Promise.all([loadFactsOf(older), loadFactsOf(newer)]))
    const sides = [
      { dataset: older, facts: before },
      { dataset: newer, facts: after },
    ] as const
    return diffPolicies(...sides, newer.asOf).filter(({ fields }) => fields.some(field => isFactField(field)))
  })

const isFactField = (field: string): field is FactField => (FACT_FIELDS as readonly string[]).includes(field)

/** A fact of a policy, as it is compared. */
function readFact(field: FactField, terms: PolicyTerms | null) {
  if (terms === null) return null
  return field === "fee" ? terms.fee : field === "validity" ? terms.validity : terms.processingDays
}

function writeFact(field: FactField, terms: PolicyTerms | null): string {
  if (terms === null) return "no record"
  const { fee, processingDays, validity } = terms
  if (field === "fee") return fee === null ? "unknown" : `${fee.amount} ${fee.currency}`
  if (field === "processing_days") return processingDays === null ? "unknown" : `${processingDays} days`
  return validity === null ? "no rule" : `${validity.months} months ${validity.days} days from ${validity.anchor}`
}

function describeFact(field: FactField, { fields, previous, current }: PolicyChange): string {
  return fields.includes(field) ? `${writeFact(field, previous)} → ${writeFact(field, current)}` : ""
}

function toFactsWire({ passport, destination, fields, severity, previous, current }: PolicyChange) {
  const changed = fields.filter(field => isFactField(field))
  const side = (terms: PolicyTerms | null) => Object.fromEntries(changed.map(field => [field, readFact(field, terms)]))
  return { passport, destination, fields: changed, severity, previous: side(previous), current: side(current) }
}

const readFields = (given: string | undefined) =>
  Effect.gen(function* () {
    if (given === undefined) return null
    const items = given.split(",") as (typeof FIELDS)[number][]
    const stranger = items.find(item => !FIELDS.includes(item))
    if (stranger === undefined) return items
    const expected = FIELDS.join(", ")
    const message = `--fields: ${JSON.stringify(stranger)} is not one of ${expected}.`
    return yield* new CalledWrongly({
      message,
      field: "--fields",
      given: stranger,
      expected: `one of ${expected}`,
    })
  })

const sayRequirement = (answer: Found | null, words: Words): string =>
  words.answer(answer) + (answer?.uncertain === true ? " (uncertain)" : "")

function toRow({ passport, destination, previous, current, severity }: PairChange, words: Words): string[] {
  return [`${passport} ${destination}`, sayRequirement(previous, words), sayRequirement(current, words), severity]
}

function describePairChange({ passport, destination, previous, current, fields, severity }: PairChange) {
  const side = (answer: Found | null) =>
    answer === null
      ? null
      : { requirement: answer.requirement, visa_free_days: answer.days, source: answer.source?.id ?? null }
  return { passport, destination, fields, severity, previous: side(previous), current: side(current) }
}
