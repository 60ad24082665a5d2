/**
 * How is a record shown as a page?
 *
 * The verdict is first, then the sections of the fields in the order of their rows, in the record's language. Fields that the record does
 * not have get no section, and fields that the plan does not show are named once at the end.
 */
import { listTermSentences, sayDispute, sayReading } from "./conditions.ts"
import { type FieldName, findRow, ROWS } from "./field-rows.ts"
import type { GatedRecord } from "./full.ts"
import type { Locale, MessageKey } from "./localise.ts"
import {
  escapeText,
  linkText,
  listTexts,
  openPageWriter,
  type PageWriter,
  type SectionItem,
  type SectionLine,
  writeLine,
  writeLink,
} from "./page-writer.ts"
import type { CheckRecord, TermFields, UpgradeStub } from "./record-fields.ts"

/**
 * Renders a full record, gated or not, as a page of Markdown in its language.
 *
 * Cannot fail. The language has to be the one in which the record was assembled.
 *
 * @example
 * ```ts
 * renderMarkdown(record, locale).split("\n")[0] // => "# Passport: France · Destination: Thailand"
 * ```
 */
export function renderMarkdown(record: GatedRecord, locale: Locale): string {
  const page = openPageWriter(locale)
  const parts = [
    `# ${titleOf(page, record)}`,
    escapeText(record.description),
    [...listVerdict(page, record), ...listTerms(page, record)].join("\n"),
    ...listSections(page, record),
    ...listStubs(page, record),
    `*${page.word("label.disclaimer")}*`,
  ]
  return `${parts.join("\n\n")}\n`
}

/**
 * Renders a quick check as a page of Markdown. Cannot fail.
 *
 * @example
 * ```ts
 * const check = buildCheckRecord(localised, "FRA", "JPN", { upgradeUrl: "/pricing" })
 * check && renderCheckMarkdown(check, locale).split("\n")[0] // => "# Passport: France · Destination: Japan"
 * ```
 */
export function renderCheckMarkdown(record: CheckRecord, locale: Locale): string {
  const page = openPageWriter(locale)
  const verdict = listVerdict(page, { ...record, verified: record.last_verified !== null })
  const hint = writeLink(record._hint, record._upgrade_preview.upgrade_url)
  const conditions = listTexts(record.conditions?.map(({ text }) => text)).map(line => writeLine(page, line))
  const parts = [
    `# ${titleOf(page, record)}`,
    [...verdict, ...listTerms(page, record)].join("\n"),
    ...(conditions.length === 0 ? [] : [`## ${page.word("label.conditions")}\n\n${conditions.join("\n")}`]),
    hint,
    `*${page.word("label.disclaimer")}*`,
  ]
  return `${parts.join("\n\n")}\n`
}

function titleOf(
  { word }: PageWriter,
  { passport, destination }: Pick<CheckRecord, "passport" | "destination">,
): string {
  return word("label.title", { passport: { country: passport }, destination: { country: destination } })
}

type Verdict = Pick<
  GatedRecord,
  "requirement" | "visa_free_days" | "visa_required" | "requirement_status" | "home" | "verified"
> & {
  readonly evidence?: TermFields["evidence"]
  /** The page that was read. */
  readonly source_url?: string | null
}

function listVerdict({ locale, word, item, value }: PageWriter, record: Verdict): string[] {
  const { requirement, visa_free_days: days } = record
  const reading = sayReading(record.evidence)
  const isAdmitted = requirement !== "visa_required" && requirement !== "no_admission" && record.home !== true
  return [
    item(word("label.requirement"), word(`requirement.${requirement}`)),
    ...(isAdmitted ? [item(word("label.stay"), days === null ? word("label.stay_not_fixed") : value({ days }))] : []),
    item(word("label.visa_required"), word(record.visa_required ? "label.needed" : "label.not_needed")),
    ...(record.requirement_status === undefined ? [] : [`- **${word("label.uncertain")}**`]),
    `- ${reading === null ? word("label.not_verified") : writeLink(locale.say(reading), record.source_url)}`,
  ]
}

// Ends, changes, second sources: a line each.
function listTerms({ locale }: PageWriter, record: TermFields): string[] {
  const dispute = sayDispute(locale, record)
  const lines = [...listTermSentences(locale, record), ...(dispute === null ? [] : [dispute])]
  return lines.map(line => `- ${linkText(line)}`)
}

function listSections(page: PageWriter, record: GatedRecord): string[] {
  return listSectionLines(page, record).map(
    ({ heading, lines }) => `## ${page.word(heading)}\n\n${lines.map(line => writeLine(page, line)).join("\n")}`,
  )
}

function listStubs({ locale, word }: PageWriter, record: GatedRecord): string[] {
  const byOffer = new Map<string, { readonly address: string; readonly labels: string[] }>()
  for (const [name, held] of Object.entries(record)) {
    const label = findRow(name)?.label ?? null
    if (!isStub(held) || label === null) continue
    const offer = byOffer.get(held.upgrade) ?? { address: held.upgrade_url, labels: [] }
    offer.labels.push(word(label))
    byOffer.set(held.upgrade, offer)
  }
  return [...byOffer].map(([upgrade, { address, labels }]) =>
    locale.label(`**${writeLink(upgrade, address)}**`, locale.list(labels)),
  )
}

// ---- Sections

// Which sections has the page of a record?
//
// One for each field that the record has, in the order of the rows. The page in Markdown and the pages of apps are made from them.

/** One section of a page. */
export interface RecordSection {
  readonly field: FieldName
  readonly heading: string
  /** The lines as plain text; without those that are more than text, such as the steps and the advice of governments. */
  readonly items: readonly SectionItem[]
}

/** Whether a plan shows a note instead of a field. */
function isStub(held: unknown): held is UpgradeStub {
  return typeof held === "object" && held !== null && "upgrade" in held
}

/** Lists the sections that have lines. */
function listSectionLines(
  page: PageWriter,
  record: GatedRecord,
): readonly { readonly field: FieldName; readonly heading: MessageKey; readonly lines: readonly SectionLine[] }[] {
  return ROWS.flatMap(([field, { label, write, sections }]) => {
    const held = record[field]
    if (held === undefined || held === null || isStub(held)) return []
    return (sections ?? (label === null || write === undefined ? [] : [{ heading: label, write }]))
      .map(({ heading, write }) => ({ field, heading, lines: write(page, held) }))
      .filter(({ lines }) => lines.length > 0)
  })
}

/**
 * Lists the sections of a record's page in its language, in order.
 *
 * Cannot fail. The language has to be the one in which the record was assembled.
 *
 * @example
 * ```ts
 * listRecordSections(record, locale)[0].heading // => "Documents"
 * ```
 */
export function listRecordSections(record: GatedRecord, locale: Locale): readonly RecordSection[] {
  return listSectionLines(openPageWriter(locale), record).map(({ field, heading, lines }) => ({
    field,
    heading: locale.say({ key: heading }),
    items: lines.filter(line => typeof line !== "string"),
  }))
}
