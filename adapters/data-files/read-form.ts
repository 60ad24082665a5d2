/**
 * How does the text of the issue form "Wrong or missing data" become a claim?
 *
 * The text is a stranger's. Every field is read as what the form asks for or refused with its line and what to do, and each claim goes into a
 * file of its own below `data/additions`, so that two never collide. Nothing here decides whether the claim is right: a person reads the page.
 */
import { createHash } from "node:crypto"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { Result } from "effect"
import { compileFacts } from "../../src/compiler.ts"
import { formatCivilDate, isRequirement, parseCivilDate } from "../../src/engine.ts"
import { DataError, type FileIssue, onFile } from "../files/data-error.ts"
import { formatRecord } from "../files/record-files.ts"
import { replaceFile } from "../files/replace-file.ts"
import { AdditionRecord } from "./claim-records.ts"
import { checkFiles, nameFiles, readDataRecords, toFacts } from "./read-facts.ts"

/** The headings of the form, in its order. */
export const FORM_FIELDS = {
  passport: "Passport",
  destination: "Destination",
  answered: "What Landfall answers",
  requirement: "What is asked in truth",
  days: "Days of stay",
  source: "Source",
  publisher: "Who publishes it",
  words: "What the source says",
  readOn: "Day on which you read it",
  from: "First day on which the rule holds",
  until: "Last day on which it holds",
  conditions: "What it depends on",
} as const
type Field = keyof typeof FORM_FIELDS
const OPTIONAL: ReadonlySet<Field> = new Set(["answered", "days", "from", "until", "conditions"])

/** Who may publish a page, as the form names them, and what that makes of it. */
export const PUBLISHERS: Readonly<
  Record<string, { readonly by: string; readonly publisher?: "own_state" | "third_state" }>
> = {
  "the destination's government or one of its missions": { by: "official-pages" },
  "the government of the passport's country": { by: "official-pages", publisher: "own_state" },
  "another government": { by: "official-pages", publisher: "third_state" },
  "a newspaper, a company or a person": { by: "press-reports" },
}

/** The longest text of the form that is kept, and the longest address. */
const MOST_CHARACTERS = 500
const MOST_PASSPORTS = 20

/** What a form adds. */
export interface Added {
  readonly file: string
  readonly destination: string
  readonly passports: readonly string[]
  readonly says: string
}

const tidy = (text: string) => text.replace(/\s+/g, " ").trim().slice(0, MOST_CHARACTERS)

/** Reads the text of the form, and writes its claim into a data folder. With `dryRun` it says what it would do. */
export function addForm(options: {
  readonly form: string
  /** Reads its text. */
  readonly read: () => string
  readonly folder: string
  /** Today, in UTC (`YYYY-MM-DD`). */
  readonly on: string
  readonly dryRun?: boolean
}): Result.Result<Added, DataError> {
  return Result.gen(function* () {
    const { form, read, folder, on, dryRun = false } = options
    const records = yield* readDataRecords(folder)
    const text = yield* onFile(form, read)
    const issues: FileIssue[] = []
    const { values, lines } = readFields(text, (line, field, message) =>
      issues.push({ file: `${form}:${line}`, field, message }),
    )
    // What is missing was refused already.
    const expect = (field: Field, isRight: boolean, message: string) => {
      if (isRight || values[field] === undefined) return
      issues.push({ file: `${form}:${lines[field] ?? 1}`, field: FORM_FIELDS[field], message })
    }
    const show = (text = "", most = 20) => JSON.stringify(text.slice(0, most))
    const passports = [...new Set((values.passport ?? "").split(/[\s,]+/))].filter(Boolean).sort()
    for (const given of passports) {
      const isKnown = records.passports.some(({ code }) => code === given)
      expect("passport", isKnown, `${show(given)} is not a passport of passports.json, such as FRA.`)
    }
    const count = passports.length
    const many = `${count} passports are more than ${MOST_PASSPORTS}: a list is added by a pull request.`
    expect("passport", count <= MOST_PASSPORTS, many)
    const { destination = "", days, readOn = "", from, until } = values
    const isDestination = records.claims.some(record => record.destination === destination)
    expect("destination", isDestination, `${show(destination)} is not a destination of claims/, such as JPN.`)
    const [word = ""] = (values.requirement ?? "").split(" ")
    const other = "the form names no requirement: what else is wrong is corrected by a pull request."
    expect("requirement", isRequirement(word), other)
    expect("days", /^[1-9]\d{0,3}$/.test(days ?? ""), `${show(days)} is not a whole number of days, such as 90.`)
    const url = URL.parse(values.source ?? "")
    const isAddress = url !== null && /^https?:$/.test(url.protocol) && url.username === ""
    const isShort = url !== null && url.href.length <= MOST_CHARACTERS
    expect("source", isAddress && isShort, "is not an address that begins with https://.")
    const page = PUBLISHERS[values.publisher ?? ""]
    const unknown = `${show(values.publisher, 60)} is an unknown publisher: choose one of the form.`
    expect("publisher", page !== undefined, unknown)
    const dayOf = (field: Field) => {
      const day = parseCivilDate(values[field])
      expect(field, day !== null, `${show(values[field])} is not a calendar date YYYY-MM-DD.`)
      return day
    }
    const [readDay, fromDay, untilDay] = [dayOf("readOn"), dayOf("from"), dayOf("until")]
    const later = `${readOn} is after today, ${on}: name the day on which you read the page.`
    expect("readOn", readDay === null || readOn <= on, later)
    const isInOrder = fromDay === null || untilDay === null || untilDay >= fromDay
    expect("until", isInOrder, `${until} is before the first day, ${from}.`)
    if (issues.length > 0 || url === null || page === undefined) return yield* Result.fail(DataError.of(issues))
    const claim = {
      says: days === undefined ? word : `${word} ${days}`,
      ...(from === undefined ? {} : { from }),
      ...(untilDay === null ? {} : { until: formatCivilDate(untilDay + 1) }),
      ...(values.conditions === undefined
        ? {}
        : { conditions: [{ kind: "other" as const, text: tidy(values.conditions) }] }),
      reading: tidy(values.words ?? ""),
      who: passports.join(" "),
    }
    const hash = createHash("sha256")
      .update(JSON.stringify([claim, url.href, page]))
      .digest("hex")
      .slice(0, 8)
    const id = `${destination}-${readOn}-${passports[0]}-${hash}`
    const { by, publisher } = page
    const record: AdditionRecord = {
      id,
      destination,
      pages: { [id]: { by, url: url.href, ...(publisher === undefined ? {} : { publisher }), read: [readOn] } },
      claims: [{ page: id, ...claim }],
    }
    const known = records.additions.some(addition => addition.id === id)
    const { files, additions } = records
    const next = known ? records : yield* checkFiles(folder, { ...files, additions: [...additions, record] })
    const compiled = compileFacts(toFacts(next))
    if (!compiled.ok) return yield* Result.fail(nameFiles(folder, compiled.error, next))
    const file = join(folder, "additions", `${id}.json`)
    if (!dryRun) {
      yield* onFile(file, () => {
        mkdirSync(join(folder, "additions"), { recursive: true })
        replaceFile(file, formatRecord(AdditionRecord, record))
      })
    }
    return { file, destination, passports, says: claim.says }
  })
}

type Values = { readonly [Of in Field]?: string }

/** Takes the text apart at the headings of the form: "### Passport", a blank line, the value. */
function readFields(text: string, refuse: (line: number, field: string, message: string) => void) {
  const names = new Map(Object.entries(FORM_FIELDS).map(([field, heading]) => [`### ${heading}`, field as Field]))
  const parts: Partial<Record<Field, string[]>> = {}
  const lines: Partial<Record<Field, number>> = {}
  let current: string[] | null = null
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    const field = names.get(line.trimEnd())
    if (field === undefined) {
      current?.push(line)
      continue
    }
    // A second one may stand in somebody's answer: then nobody knows which is meant.
    if (parts[field] !== undefined)
      refuse(at + 1, FORM_FIELDS[field], "is given twice: leave the headings of the form out of the answers.")
    current = []
    parts[field] = current
    lines[field] = at + 1
  }
  const values: { -readonly [Of in Field]?: string } = {}
  for (const field of Object.keys(FORM_FIELDS) as Field[]) {
    const value = parts[field]?.join("\n").trim() ?? ""
    if (value !== "" && value !== "_No response_") values[field] = value
    else if (!OPTIONAL.has(field))
      refuse(lines[field] ?? 1, FORM_FIELDS[field], "is missing: fill in this field of the form.")
  }
  return { values: values as Values, lines }
}
