/**
 * Which sections has the page of a record?
 *
 * One for each field that the record has, in the order of the rows. The page in Markdown and the pages of apps are made from them.
 */
import { type FieldName, ROWS } from "./field-rows.ts"
import type { Locale } from "./localise.ts"
import type { MessageKey } from "./messages.ts"
import { openPageWriter, type PageWriter, type SectionItem, type SectionLine } from "./page-writer.ts"
import type { GatedRecord, UpgradeStub } from "./record-fields.ts"

/** One section of a page. */
export interface RecordSection {
  readonly field: FieldName
  readonly heading: string
  /** The lines as plain text; without those that are more than text, such as the steps and the advice of governments. */
  readonly items: readonly SectionItem[]
}

/** Whether a plan shows a note instead of a field. */
export function isStub(held: unknown): held is UpgradeStub {
  return typeof held === "object" && held !== null && "upgrade" in held
}

/** Lists the sections that have lines. */
export function listSectionLines(
  page: PageWriter,
  record: GatedRecord,
): readonly { readonly field: FieldName; readonly heading: MessageKey; readonly lines: readonly SectionLine[] }[] {
  return ROWS.flatMap(([field, { sections }]) => {
    const held = record[field]
    if (held === undefined || held === null || isStub(held)) return []
    return sections
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
