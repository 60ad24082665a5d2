/** `landfall dataset diff BEFORE AFTER`: which pairs changed between two datasets, and how much it matters. */
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { diffDatasets, type Found, listScheduledChanges, type PairChange, REQUIREMENTS } from "../../src/index.ts"
import { CalledWrongly, formatTable, jsonFlag, openDatasetFile, printJson } from "./outcome.ts"

const FIELDS = ["record", "requirement", "days", "uncertain", "basis", "source", "verified_on"] as const
const USAGE = "landfall dataset diff BEFORE [AFTER] [--fields requirement,days] [--days-of visa_free] [--json]"

const listFlag = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar("LIST"), Flag.withDescription(description), Flag.optional)

export const diff = Command.make(
  "diff",
  {
    before: Argument.String("before").pipe(Argument.withDescription("The older dataset file")),
    after: Argument.String("after").pipe(
      Argument.withDescription("The newer dataset file; the embedded dataset when absent"),
      Argument.optional,
    ),
    fields: listFlag(
      "fields",
      `What to compare, by commas: ${FIELDS.join(",")}; record,requirement,days,uncertain when absent`,
    ),
    daysOf: listFlag("days-of", "Requirements whose days are compared, by commas; all when absent"),
    json: jsonFlag,
  },
  Effect.fnUntraced(function* ({ before, after, fields, daysOf, json }) {
    const older = yield* openDatasetFile(Option.some(before))
    const newer = yield* openDatasetFile(after)
    const counted = yield* readList("fields", fields, FIELDS)
    const kinds = yield* readList("days-of", daysOf, REQUIREMENTS)
    const options = {
      fields: counted ?? (["record", "requirement", "days", "uncertain"] as const),
      ...(kinds === null ? {} : { daysOf: kinds }),
    }
    const changes = diffDatasets(older, newer, options)
    const scheduled = listScheduledChanges(newer, newer.asOf, options)
    if (json) {
      return yield* printJson({
        before: older.version,
        after: newer.version,
        count: changes.length,
        changes: changes.map(toWire),
        scheduled: scheduled.map(change => ({ ...toWire(change), effective_from: change.effectiveFrom })),
      })
    }
    const major = changes.filter(change => change.severity === "major").length
    if (changes.length > 0) yield* Console.log(formatTable(["pair", "before", "after", "severity"], changes.map(toRow)))
    yield* Console.log(
      `${changes.length > 0 ? "\n" : ""}${older.version} → ${newer.version}: ${changes.length} pairs differ, ${major} of them majorly.`,
    )
    if (scheduled.length > 0) {
      yield* Console.log(
        `\n${formatTable(
          ["from", "pair", "before", "after"],
          scheduled.map(change => [change.effectiveFrom, ...toRow(change).slice(0, 3)]),
        )}`,
      )
    }
  }),
).pipe(Command.withDescription("Say which pairs differ between two datasets"))

const readList = <const Item extends string>(flag: string, given: Option.Option<string>, allowed: readonly Item[]) =>
  Effect.gen(function* () {
    if (Option.isNone(given)) return null
    const items = given.value.split(",")
    const stranger = items.find(item => !allowed.includes(item as Item))
    if (stranger === undefined) return items as Item[]
    const message = `--${flag}: "${stranger}" is none of ${allowed.join(", ")}.`
    return yield* new CalledWrongly({ message, usage: USAGE })
  })

function describeAnswer(answer: Found | null): string {
  if (answer === null) return "no record"
  return `${answer.requirement}${answer.days === null ? "" : ` ${answer.days}`}${answer.uncertain ? " (uncertain)" : ""}`
}

function toRow({ passport, destination, previous, current, severity }: PairChange): string[] {
  return [`${passport} ${destination}`, describeAnswer(previous), describeAnswer(current), severity]
}

function toWire({ passport, destination, previous, current, fields, severity }: PairChange) {
  const side = (answer: Found | null) =>
    answer === null
      ? null
      : { requirement: answer.requirement, visa_free_days: answer.days, source: answer.source?.id ?? null }
  return { passport, destination, fields, severity, previous: side(previous), current: side(current) }
}
