/**
 * How are the lines of a page written: items with a label, lists, asides, amounts?
 *
 * All text is escaped, so that none of it becomes markup.
 */
import type { Money } from "../rules/table.ts"
import {
  isolate,
  type Locale,
  type MessageKey,
  type Phrase,
  type PhraseValue,
  type Punctuation,
  punctuationOf,
} from "./localise.ts"
import type { FullRecord, HistoryEntry, Mission, RecordSource, SafetyOpinion } from "./record-fields.ts"

/** Writes the pieces of a page in one language. */
export interface PageWriter {
  readonly locale: Locale
  readonly marks: Punctuation
  /** Writes a message. */
  readonly word: (key: MessageKey, values?: Phrase["values"]) => string
  /** Sets a name, a number or an address that is in no particular language apart from the direction of the page. */
  readonly name: (text: string) => string
  /** Writes a value on its own. */
  readonly value: (held: PhraseValue) => string
  /** Puts a text in brackets behind another one. */
  readonly bracket: (text: string) => string
  /** One line with its label. */
  readonly item: (label: string, text: string) => string
}

/** Opens a writer for a language. */
export function openPageWriter(locale: Locale): PageWriter {
  const marks = punctuationOf(locale.language)
  return {
    locale,
    marks,
    word: (key, values) => escapeText(locale.say(values === undefined ? { key } : { key, values })),
    name: text => isolate(locale.direction, text),
    value: held => escapeText(locale.formatValue(held)),
    bracket: text => `${marks.bracketStart}${text}${marks.bracketEnd}`,
    item: (label, text) => `- ${locale.label(`**${label}**`, text)}`,
  }
}

/** One line of a section as plain text, whose web addresses are to be links. */
export interface SectionItem {
  /** Null for a text without a label. */
  readonly label: string | null
  readonly text: string
}

/** A line of a section: plain text for any page, or a line of Markdown. */
export type SectionLine = SectionItem | string

/** One line a text. */
export function listTexts(texts: readonly string[] | undefined): readonly SectionItem[] {
  return (texts ?? []).map(text => ({ label: null, text }))
}

/** One labelled line for each text that is known. */
function listItems(
  { locale }: PageWriter,
  fields: readonly (readonly [label: MessageKey, text: string | undefined])[],
): readonly SectionItem[] {
  return fields.flatMap(([key, text]) =>
    text === undefined || text === "" ? [] : [{ label: locale.say({ key }), text }],
  )
}

/** An amount, apart from the direction of the page. */
function sayAmount({ locale, name }: PageWriter, held: Money | undefined): string | undefined {
  return held === undefined ? undefined : name(locale.formatValue({ money: held }))
}

/** Yes or no, where it is known. */
function sayYesNo({ locale }: PageWriter, held: boolean | undefined): string | undefined {
  return held === undefined ? undefined : locale.say({ key: held ? "label.yes" : "label.no" })
}

/** A text of no particular language. */
function sayName({ name }: PageWriter, text: string | undefined): string | undefined {
  return text === undefined ? undefined : name(text)
}

/** Writes a line of a section as Markdown. */
export function writeLine({ item }: PageWriter, line: SectionLine): string {
  if (typeof line === "string") return line
  const text = linkText(line.text)
  return line.label === null ? `- ${text}` : item(escapeText(line.label), text)
}

// ---- Text of Markdown

// How is a text put into Markdown so that it stays text?
//
// Names, addresses and sentences come from catalogues and from public tables; whatever they hold, it must not become markup,
// a link to elsewhere or HTML (CommonMark 0.31.2, §2.4). Addresses of the web become autolinks, everything else is escaped.

// No control characters: with one of them, a text in angle brackets is not a link, and its brackets would be markup.
const WEB_ADDRESS = /(https?:\/\/[^\s\p{Cc}<>"\\^`{|}\u2068\u2069]+)/u

/**
 * Escapes a text for a line of Markdown; line breaks become blanks.
 *
 * @example
 * ```ts
 * escapeText("*a* <b>") // => "\\*a\\* \\<b\\>"
 * ```
 */
export function escapeText(text: string): string {
  return text
    .replaceAll(/[\r\n]+/g, " ")
    .replaceAll(/[\\`*_[\]<>|~]/g, "\\$&")
    .replaceAll(/&(?=#?\w+;)/g, "\\&")
    .replace(/^(\s*)([-+=#])/, "$1\\$2")
    .replace(/^(\s*\d+)([.)])/, "$1\\$2")
}

/**
 * Escapes a text whose web addresses are to be links.
 *
 * @example
 * ```ts
 * linkText("See https://a.example/x_y") // => "See <https://a.example/x_y>"
 * ```
 */
export function linkText(text: string): string {
  return text
    .split(WEB_ADDRESS)
    .map((piece, at) => (at % 2 === 1 ? `<${piece}>` : escapeText(piece)))
    .join("")
}

/** Writes a link; without an address only its text. An address that could end the link early is not linked. */
export function writeLink(text: string, address: string | null | undefined): string {
  const isSafe = typeof address === "string" && /^(https?:\/\/|\/)[^\s<>"\\^`{|}]*$/.test(address)
  return isSafe ? `[${escapeText(text)}](<${address}>)` : escapeText(text)
}

// ---- Sections of a page

// How is each field of a record written on a page?
//
// One function a field, from its wire form to the lines of its section; no lines if there is nothing to write. Most lines are plain text, so
// that a page of any kind can show them; those with links and marks are Markdown. The headings are in field-rows.ts.

type Held<Name extends keyof FullRecord> = NonNullable<FullRecord[Name]>

type Lines = readonly SectionLine[]

/** The steps, numbered. */
export function writeSteps(_: PageWriter, steps: Held<"process">): Lines {
  return steps.map((step, at) => `${at + 1}. ${linkText(step)}`)
}

/** Texts, one a line. */
export function writeTexts(_: PageWriter, texts: readonly string[]): Lines {
  return listTexts(texts)
}

/** The conditions of the rule, one on each line. */
export function writeConditions(_: PageWriter, conditions: Held<"conditions">): Lines {
  return listTexts(conditions.map(({ text }) => text))
}

/** One text. */
export function writeOne(_: PageWriter, text: string): Lines {
  return listTexts([text])
}

/** The notes of an object. */
export function writeNotes(_: PageWriter, { notes }: { readonly notes: readonly string[] }): Lines {
  return listTexts(notes)
}

/** The kinds of visa with their details. */
export function writeVisaTypes(page: PageWriter, types: Held<"visa_types">): Lines {
  return types.flatMap(({ nom, cout, duree, description }) => {
    const fee = cout === undefined ? undefined : page.locale.label(page.word("label.fee"), page.name(cout))
    const details = [description, duree, fee].filter(detail => detail !== undefined)
    return [`- **${escapeText(nom)}**`, ...details.map(detail => `  - ${escapeText(detail)}`)]
  })
}

/** Whether a stay can be extended. */
export function writeExtension(page: PageWriter, { possible, cout, duree, lieu }: Held<"extension">): Lines {
  return listItems(page, [
    ["label.possible", sayYesNo(page, possible)],
    ["label.fee", sayName(page, cout)],
    ["label.duration", duree],
    ["label.where", lieu],
  ])
}

/** How long the passport has to be valid; nothing where validity on the day is enough. */
export function writeValidity({ locale }: PageWriter, months: number): Lines {
  return months === 0 ? [] : listTexts([locale.formatValue({ months })])
}

/** The cost of the application. */
export function writeFee(page: PageWriter, fee: Held<"visa_fee">): Lines {
  const { single_entry: single, multiple_entry: multiple, children = [], biometrics } = fee
  return [
    ...listItems(page, [
      ["label.single_entry", sayAmount(page, single)],
      ["label.multiple_entry", sayAmount(page, multiple)],
    ]),
    ...children.map(({ below_years: years, ...money }) => ({
      label: page.locale.say({ key: "fee.children_below", values: { years } }),
      text: sayAmount(page, money) ?? "",
    })),
    ...listItems(page, [["label.biometrics_fee", sayAmount(page, biometrics)]]),
  ]
}

/** How long a decision takes. */
export function writeProcessing(page: PageWriter, { standard, express, rush, unit }: Held<"processing_days">): Lines {
  const span = (held: number | undefined) =>
    held === undefined
      ? undefined
      : page.locale.formatValue(unit === "working_days" ? { workingDays: held } : { days: held })
  return listItems(page, [
    ["label.standard", span(standard)],
    ["label.express", span(express)],
    ["label.rush", span(rush)],
  ])
}

/** The requirements of the photo. */
export function writePhoto(page: PageWriter, photo: Held<"photo_specs">): Lines {
  const { width_mm: width, height_mm: height } = photo
  const millimetres = new Intl.NumberFormat(page.locale.language, { style: "unit", unit: "millimeter" })
  const isSized = width !== undefined && height !== undefined
  return [
    ...(isSized ? listTexts([`${page.locale.formatValue(width)} × ${millimetres.format(height)}`]) : []),
    ...listItems(page, [
      ["label.background", photo.background],
      ["label.glasses", sayYesNo(page, photo.glasses_allowed)],
      ["label.head_covering", sayYesNo(page, photo.head_covering_allowed)],
    ]),
  ]
}

/** The required cover, or only that insurance is required. */
export function writeInsurance(page: PageWriter, insurance: Held<"insurance_required">): Lines {
  const { required, none_found: isNoneFound, min_coverage: amount, currency } = insurance
  if (isNoneFound === true) return listTexts([page.locale.say({ key: "insurance.none_found" })])
  const cover = amount === undefined || currency === undefined ? undefined : { amount, currency }
  return listTexts([sayAmount(page, cover) ?? sayYesNo(page, required) ?? ""])
}

/** The advice of governments. */
export function writeSafety(page: PageWriter, safety: Held<"safety">): Lines {
  const { locale, marks } = page
  const write = ({ advisory, source, source_url: url, updated_at: on }: SafetyOpinion, level?: number) => {
    const number = level === undefined ? "" : locale.label(page.name(`${page.value(level)}/${page.value(4)}`), "")
    const date = on === undefined ? "" : `${marks.comma}${page.value({ on })}`
    return `- ${number}${escapeText(advisory)}${page.bracket(`${writeLink(page.name(source), url)}${date}`)}`
  }
  return [write(safety, safety.level), ...(safety.others ?? []).map(opinion => write(opinion))]
}

/** Who needs a visa to change planes. */
export function writeTransit(page: PageWriter, transit: Held<"transit_visa">): Lines {
  const { locale } = page
  if (transit.required_for?.length === 0) {
    const hours = transit.max_hours === undefined ? undefined : locale.formatValue(transit.max_hours)
    const free = listTexts([locale.say({ key: "transit.airside_free" })])
    return [...free, ...listItems(page, [["label.transit_hours", hours]])]
  }
  const named = transit.required_for
    ?.map(locale.nameCountry)
    .sort((one, other) => one.localeCompare(other, locale.language))
  const label = transit.complete === false ? "label.transit_required_for_some" : "label.transit_required_for"
  return listItems(page, [
    [label, named && locale.list(named)],
    ["label.transit_hubs", transit.hubs && locale.list(transit.hubs.map(page.name))],
  ])
}

/** What has to be declared on entry, and the duty-free amounts. */
export function writeCustoms(
  page: PageWriter,
  { declare_cash: cash, cigarettes, spirits_litres: litres }: Held<"customs">,
): Lines {
  const volume = new Intl.NumberFormat(page.locale.language, { style: "unit", unit: "liter" })
  return listItems(page, [
    ["label.declare_cash", sayAmount(page, cash)],
    ["label.cigarettes", cigarettes === undefined ? undefined : page.locale.formatValue(cigarettes)],
    ["label.spirits", litres === undefined ? undefined : volume.format(litres)],
  ])
}

/** The consequences of an overstay. */
export function writeOverstay(_: PageWriter, { details }: Held<"overstay_penalty">): Lines {
  return details === "" ? [] : listTexts([details])
}

/** The differences by air, land and sea. */
export function writeModes(page: PageWriter, { air, land, sea }: Held<"entry_by_mode">): Lines {
  return listItems(page, [
    ["label.air", air],
    ["label.land", land],
    ["label.sea", sea],
  ])
}

/** The country. */
export function writeCountry(page: PageWriter, country: Held<"country_info">): Lines {
  const { capital, currency, language, timezone } = country
  return listItems(page, [
    ["label.capital", sayName(page, capital)],
    ["label.currency", currency && `${page.locale.nameCurrency(currency)}${page.bracket(page.name(currency))}`],
    ["label.language", language],
    ["label.timezone", sayName(page, timezone)],
  ])
}

/** The visa for remote work. */
export function writeRemoteWork(page: PageWriter, visa: Held<"remote_work_visa">): Lines {
  const { duration_months: months, fee, requirements } = visa
  return [
    ...listItems(page, [
      ["label.duration", months === undefined ? undefined : page.locale.formatValue({ months })],
      ["label.fee", sayAmount(page, fee)],
    ]),
    ...listTexts(requirements),
  ]
}

/** Where to apply, in the traveller's own country. */
export function writeMissionsToApply(page: PageWriter, { to_apply: missions }: Held<"embassies">): Lines {
  return writeMissions(page, missions)
}

/** The missions that help the traveller at the destination. */
export function writeMissionsThere(page: PageWriter, { at_destination: missions }: Held<"embassies">): Lines {
  return writeMissions(page, missions)
}

function writeMissions(page: PageWriter, missions: readonly Mission[] = []): Lines {
  const lines = missions.map(({ name, city, website, phone, email }) => {
    const parts = [city, website, phone, email].filter(part => part !== undefined)
    return parts.length === 0
      ? `- **${escapeText(name)}**`
      : page.item(escapeText(name), parts.map(part => page.name(linkText(part))).join(" · "))
  })
  const [first] = missions
  return first === undefined
    ? []
    : [...lines, "", `*${page.word("label.missions_as_of", { date: { on: first.as_of } })}*`]
}

/** How the rule changed. */
export function writeHistory(page: PageWriter, history: readonly HistoryEntry[]): Lines {
  const lines = history.map(entry => writeChange(page, entry))
  const areOfTables = history.some(({ sources }) => sources === undefined)
  return areOfTables ? [...lines, "", `*${page.word("history.dates_seen")}*`] : lines
}

function writeChange(page: PageWriter, { date, from, to, note }: HistoryEntry): string {
  const { locale, word } = page
  const arrow = locale.direction === "rtl" ? "←" : "→"
  const change =
    from === to ? word(`requirement.${to}`) : `${word(`requirement.${from}`)} ${arrow} ${word(`requirement.${to}`)}`
  const aside = note === undefined ? "" : page.bracket(escapeText(note))
  return `- ${locale.label(page.value({ on: date }), change)}${aside}`
}

/** One line a publication, with the latest day that it is cited for. */
export function writeSources(page: PageWriter, sources: readonly RecordSource[]): Lines {
  const { word, name: set, marks } = page
  const dates = new Map<string, string>()
  for (const { name, url, as_of: on, recorded_in: list } of sources) {
    const through = list === undefined ? "" : `${marks.comma}${word("label.recorded_in", { name: list })}`
    const line = `${writeLink(set(name), url)}${through}`
    const known = dates.get(line) ?? ""
    dates.set(line, on !== null && on > known ? on : known)
  }
  return [...dates].map(
    ([line, on]) => `- ${line}${on === "" ? "" : `${marks.comma}${word("label.as_of", { date: { on } })}`}`,
  )
}
