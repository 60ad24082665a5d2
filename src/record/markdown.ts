/**
 * How does a record read as a page?
 *
 * One section a subject, in the record's language, in the order in which a traveller needs them; what the record does not hold has
 * no section, and what the plan does not show is named once at the end. All text is escaped: a page is never more than text.
 */
import { listTermSentences, sayDispute, type TermFields } from "./conditions.ts"
import { isolate, type Locale, type Phrase } from "./localise.ts"
import { escapeText, linkText, writeLink } from "./markdown-text.ts"
import type { MessageKey } from "./messages.ts"
import { type Punctuation, punctuationOf } from "./punctuation.ts"
import type {
  CheckRecord,
  GatedRecord,
  HistoryEntry,
  Mission,
  Money,
  RecordSource,
  SafetyOpinion,
  UpgradeStub,
} from "./record-fields.ts"

/** One section before it is written: its heading and its lines, none where there is nothing to say. */
interface Section {
  readonly heading: MessageKey
  readonly lines: readonly string[]
}

/** The words of a page in one language. */
interface Pen {
  readonly locale: Locale
  readonly marks: Punctuation
  readonly word: (key: MessageKey, values?: Phrase["values"]) => string
  /** Sets a name, a number or an address that is in no particular language apart from the direction of the page. */
  readonly name: (text: string) => string
}

function openPen(locale: Locale): Pen {
  return {
    locale,
    marks: punctuationOf(locale.language),
    name: text => isolate(locale.direction, text),
    word: (key, values) => escapeText(locale.say(values === undefined ? { key } : { key, values })),
  }
}

/**
 * Renders a full record, gated or not, as a page of Markdown in its language.
 *
 * Cannot fail. The language has to be the one in which the record was assembled.
 */
export function renderMarkdown(record: GatedRecord, locale: Locale): string {
  const pen = openPen(locale)
  const sections = [
    ...listCoreSections(pen, record),
    ...listVisitSections(pen, record),
    ...listPairSections(pen, record),
  ].filter(section => section.lines.length > 0)
  const parts = [
    `# ${titleOf(pen, record)}`,
    escapeText(record.description),
    [...listVerdict(pen, record), ...listTerms(pen, record)].join("\n"),
    ...sections.map(({ heading, lines }) => `## ${pen.word(heading)}\n\n${lines.join("\n")}`),
    ...listStubs(pen, record),
    `*${pen.word("label.disclaimer")}*`,
  ]
  return `${parts.join("\n\n")}\n`
}

/** Renders a quick check as a page of Markdown. Cannot fail. */
export function renderCheckMarkdown(record: CheckRecord, locale: Locale): string {
  const pen = openPen(locale)
  const verdict = listVerdict(pen, { ...record, verified: record.last_verified !== null })
  const hint = writeLink(record._hint, record._upgrade_preview.upgrade_url)
  const conditions = bullets(record.conditions?.map(({ text }) => text))
  const parts = [
    `# ${titleOf(pen, record)}`,
    [...verdict, ...listTerms(pen, record)].join("\n"),
    ...(conditions.length === 0 ? [] : [`## ${pen.word("label.conditions")}\n\n${conditions.join("\n")}`]),
    hint,
    `*${pen.word("label.disclaimer")}*`,
  ]
  return `${parts.join("\n\n")}\n`
}

function titleOf({ word }: Pen, { passport, destination }: Pick<CheckRecord, "passport" | "destination">): string {
  return word("label.title", { passport: { country: passport }, destination: { country: destination } })
}

type Verdict = Pick<
  GatedRecord,
  "requirement" | "visa_free_days" | "visa_required" | "requirement_status" | "home" | "verified"
> & { readonly last_verified_at?: string | null; readonly last_verified?: string | null }

function listVerdict(pen: Pen, record: Verdict): string[] {
  const { word, locale } = pen
  const { requirement, visa_free_days: days } = record
  const verifiedOn = record.last_verified_at?.slice(0, 10) ?? record.last_verified
  const isAdmitted = requirement !== "visa_required" && requirement !== "no_admission" && record.home !== true
  return [
    item(pen, word("label.requirement"), word(`requirement.${requirement}`)),
    ...(isAdmitted
      ? [item(pen, word("label.stay"), days === null ? word("label.stay_not_fixed") : value(locale, { days }))]
      : []),
    item(pen, word("label.visa_required"), word(record.visa_required ? "label.yes" : "label.no")),
    ...(record.requirement_status === undefined ? [] : [`- **${word("label.uncertain")}**`]),
    `- ${verifiedOn == null ? word("label.not_verified") : word("label.verified_on", { date: { on: verifiedOn } })}`,
  ]
}

// Ends, changes, second sources: a line each.
function listTerms({ locale }: Pen, record: TermFields): string[] {
  const dispute = sayDispute(locale, record)
  const lines = [...listTermSentences(record).map(phrase => locale.say(phrase)), ...(dispute === null ? [] : [dispute])]
  return lines.map(line => `- ${linkText(line)}`)
}

function item({ locale }: Pen, label: string, text: string): string {
  return `- ${locale.label(`**${label}**`, text)}`
}

function value(locale: Locale, held: Parameters<Locale["formatValue"]>[0]): string {
  return escapeText(locale.formatValue(held))
}

/** Puts a text in brackets behind another one. */
function bracket({ marks }: Pen, text: string): string {
  return `${marks.bracketStart}${text}${marks.bracketEnd}`
}

function bullets(texts: readonly string[] | undefined): string[] {
  return (texts ?? []).map(text => `- ${linkText(text)}`)
}

/** Labelled lines for what is known of a record's object. */
function items(pen: Pen, fields: readonly (readonly [label: MessageKey, text: string | undefined])[]): string[] {
  return fields.flatMap(([label, text]) => (text === undefined ? [] : [item(pen, pen.word(label), text)]))
}

function isStub(held: unknown): held is UpgradeStub {
  return typeof held === "object" && held !== null && "upgrade" in held
}

/** What the plan shows of a field; undefined for a stub. */
function shown<Value>(held: Value | UpgradeStub | undefined): Value | undefined {
  return isStub(held) ? undefined : held
}

function listCoreSections(pen: Pen, record: GatedRecord): Section[] {
  const { locale, word } = pen
  const steps = (record.process ?? []).map((step, at) => `${at + 1}. ${linkText(step)}`)
  const types = (record.visa_types ?? []).flatMap(type => {
    const details = [
      type.duree,
      type.cout === undefined ? undefined : locale.label(locale.say({ key: "label.fee" }), pen.name(type.cout)),
    ]
    const known = [type.description, ...details.filter(detail => detail !== undefined)]
    return [`- **${escapeText(type.nom)}**`, ...known.map(detail => `  - ${escapeText(detail)}`)]
  })
  const { extension } = record
  const stretch =
    extension === undefined
      ? []
      : items(pen, [
          ["label.possible", word(extension.possible ? "label.yes" : "label.no")],
          ["label.fee", nameOf(pen, extension.cout)],
          ["label.duration", escapeOf(extension.duree)],
          ["label.where", escapeOf(extension.lieu)],
        ])
  return [
    { heading: "label.conditions", lines: bullets(record.conditions?.map(({ text }) => text)) },
    { heading: "label.documents", lines: bullets(record.documents_required) },
    { heading: "label.process", lines: steps },
    { heading: "label.visa_types", lines: types },
    { heading: "label.extension", lines: stretch },
  ]
}

function escapeOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : escapeText(text)
}

function money(locale: Locale, held: Money | undefined): string | undefined {
  return held === undefined ? undefined : isolate(locale.direction, value(locale, { money: held }))
}

function days(locale: Locale, held: number | undefined): string | undefined {
  return held === undefined ? undefined : value(locale, { days: held })
}

function listVisitSections(pen: Pen, record: GatedRecord): Section[] {
  const { locale, word } = pen
  const yesNo = (held: boolean | undefined) => (held === undefined ? undefined : word(held ? "label.yes" : "label.no"))
  const fee = shown(record.visa_fee)
  const processing = shown(record.processing_days)
  const photo = shown(record.photo_specs)
  const insurance = shown(record.insurance_required)
  const months = shown(record.passport_validity_months)
  const overstay = shown(record.overstay_penalty)
  const modes = shown(record.entry_by_mode)
  const transit = shown(record.transit_visa)
  const cover =
    insurance?.min_coverage === undefined || insurance.currency === undefined
      ? undefined
      : { amount: insurance.min_coverage, currency: insurance.currency }
  const named = transit?.required_for
    ?.map(locale.nameCountry)
    .sort((one, other) => one.localeCompare(other, locale.language))
  return [
    { heading: "label.tips", lines: bullets(shown(record.tips)) },
    {
      heading: "label.passport_validity",
      lines: months === undefined || months === 0 ? [] : [`- ${value(locale, { months })}`],
    },
    {
      heading: "label.fee",
      lines: items(pen, [
        ["label.single_entry", money(locale, fee?.single_entry)],
        ["label.multiple_entry", money(locale, fee?.multiple_entry)],
      ]),
    },
    {
      heading: "label.processing",
      lines: items(pen, [
        ["label.standard", days(locale, processing?.standard)],
        ["label.express", days(locale, processing?.express)],
        ["label.rush", days(locale, processing?.rush)],
      ]),
    },
    { heading: "label.apply", lines: bullets(listOf(shown(record.best_apply_period))) },
    {
      heading: "label.photo",
      lines: [
        ...bullets(listOf(sizeOf(locale, photo?.width_mm, photo?.height_mm))),
        ...items(pen, [
          ["label.background", escapeOf(photo?.background)],
          ["label.glasses", yesNo(photo?.glasses_allowed)],
          ["label.head_covering", yesNo(photo?.head_covering_allowed)],
        ]),
      ],
    },
    {
      heading: "label.insurance",
      lines: insurance === undefined ? [] : [`- ${money(locale, cover) ?? yesNo(insurance.required)}`],
    },
    { heading: "label.vaccinations", lines: bullets(shown(record.vaccinations_required)) },
    { heading: "label.health", lines: bullets(shown(record.health_requirements)) },
    { heading: "label.safety", lines: listSafety(pen, record) },
    {
      heading: "label.transit",
      lines: items(pen, [
        ["label.transit_required_for", escapeOf(named === undefined ? undefined : locale.list(named))],
        [
          "label.transit_hubs",
          escapeOf(transit?.hubs === undefined ? undefined : locale.list(transit.hubs.map(pen.name))),
        ],
      ]),
    },
    { heading: "label.minors", lines: bullets(listOf(shown(record.minor_rules))) },
    { heading: "label.dual_nationality", lines: bullets(shown(record.dual_nationality_warnings)) },
    { heading: "label.stamps", lines: bullets(shown(record.stamp_warnings)) },
    { heading: "label.overstay", lines: bullets(listOf(overstay?.details)) },
    {
      heading: "label.entry_by_mode",
      lines: items(pen, [
        ["label.air", escapeOf(modes?.air)],
        ["label.land", escapeOf(modes?.land)],
        ["label.sea", escapeOf(modes?.sea)],
      ]),
    },
    { heading: "label.country", lines: listCountry(pen, record) },
  ]
}

function listOf(text: string | undefined): string[] | undefined {
  return text === undefined || text === "" ? undefined : [text]
}

function sizeOf(locale: Locale, width: number | undefined, height: number | undefined): string | undefined {
  if (width === undefined || height === undefined) return undefined
  const millimetres = new Intl.NumberFormat(locale.language, { style: "unit", unit: "millimeter" })
  return `${locale.formatValue(width)} × ${millimetres.format(height)}`
}

function listSafety(pen: Pen, record: GatedRecord): string[] {
  const { locale, marks } = pen
  const safety = shown(record.safety)
  if (safety === undefined) return []
  const write = ({ advisory, source, source_url: url, updated_at: on }: SafetyOpinion, level?: number) => {
    const number = level === undefined ? "" : locale.label(pen.name(`${value(locale, level)}/${value(locale, 4)}`), "")
    const date = on === undefined ? "" : `${marks.comma}${value(locale, { on })}`
    return `- ${number}${escapeText(advisory)}${bracket(pen, `${writeLink(pen.name(source), url)}${date}`)}`
  }
  return [write(safety, safety.level), ...(safety.others ?? []).map(opinion => write(opinion))]
}

function listCountry(pen: Pen, record: GatedRecord): string[] {
  const country = shown(record.country_info)
  const code = country?.currency
  return items(pen, [
    ["label.capital", nameOf(pen, country?.capital)],
    ["label.currency", code === undefined ? undefined : nameCurrency(pen, code)],
    ["label.language", escapeOf(country?.language)],
    ["label.timezone", nameOf(pen, country?.timezone)],
  ])
}

function nameCurrency(pen: Pen, code: string): string {
  return `${escapeText(pen.locale.nameCurrency(code))}${bracket(pen, pen.name(escapeText(code)))}`
}

function nameOf({ name }: Pen, text: string | undefined): string | undefined {
  return text === undefined ? undefined : name(escapeText(text))
}

function listPairSections(pen: Pen, record: GatedRecord): Section[] {
  const embassy = shown(record.embassy)
  const visa = shown(record.remote_work_visa)
  const history = shown(record.reciprocity_history) ?? []
  return [
    { heading: "label.embassy_apply", lines: listMissions(pen, embassy?.visa_application_embassy) },
    { heading: "label.embassy_there", lines: listMissions(pen, embassy?.your_embassy_at_destination) },
    {
      heading: "label.remote_work",
      lines: [
        ...items(pen, [
          [
            "label.duration",
            visa?.duration_months === undefined ? undefined : value(pen.locale, { months: visa.duration_months }),
          ],
          ["label.fee", money(pen.locale, visa?.fee)],
        ]),
        ...bullets(visa?.requirements),
      ],
    },
    { heading: "label.history", lines: listChanges(pen, history) },
    { heading: "label.sources", lines: listSources(pen, record.sources) },
  ]
}

function listMissions(pen: Pen, missions: readonly Mission[] = []): string[] {
  const lines = missions.map(({ name, city, website, phone }) => {
    const parts = [city, website, phone].filter(part => part !== undefined)
    return parts.length === 0
      ? `- **${escapeText(name)}**`
      : item(pen, escapeText(name), parts.map(part => pen.name(linkText(part))).join(" · "))
  })
  const [first] = missions
  return first === undefined ? [] : [...lines, "", `*${pen.word("label.as_of", { date: { on: first.as_of } })}*`]
}

function listChanges(pen: Pen, history: readonly HistoryEntry[]): string[] {
  if (history.length === 0) return []
  return [...history.map(entry => writeChange(pen, entry)), "", `*${pen.word("history.dates_seen")}*`]
}

function writeChange(pen: Pen, { date, from, to, note }: HistoryEntry): string {
  const { locale, word } = pen
  const arrow = locale.direction === "rtl" ? "←" : "→"
  const change =
    from === to ? word(`requirement.${to}`) : `${word(`requirement.${from}`)} ${arrow} ${word(`requirement.${to}`)}`
  return `- ${locale.label(value(locale, { on: date }), change)}${note === undefined ? "" : bracket(pen, escapeText(note))}`
}

// One line a publication, with the latest day that it is cited for.
function listSources({ word, name: set, marks }: Pen, sources: readonly RecordSource[] = []): string[] {
  const dates = new Map<string, string>()
  for (const { name, url, as_of: on } of sources) {
    const link = writeLink(set(name), url)
    const known = dates.get(link) ?? ""
    dates.set(link, on !== null && on > known ? on : known)
  }
  return [...dates].map(
    ([link, on]) => `- ${link}${on === "" ? "" : `${marks.comma}${word("label.as_of", { date: { on } })}`}`,
  )
}

// The labels of what a plan does not show; `extension_rules` repeats the core field `extension` in numbers.
const FIELD_LABELS: Readonly<Record<string, MessageKey>> = {
  tips: "label.tips",
  country_info: "label.country",
  transit_visa: "label.transit",
  passport_validity_months: "label.passport_validity",
  visa_fee: "label.fee",
  processing_days: "label.processing",
  photo_specs: "label.photo",
  vaccinations_required: "label.vaccinations",
  insurance_required: "label.insurance",
  dual_nationality_warnings: "label.dual_nationality",
  stamp_warnings: "label.stamps",
  minor_rules: "label.minors",
  overstay_penalty: "label.overstay",
  entry_by_mode: "label.entry_by_mode",
  safety: "label.safety",
  best_apply_period: "label.apply",
  health_requirements: "label.health",
  embassy: "label.embassy_apply",
  remote_work_visa: "label.remote_work",
  reciprocity_history: "label.history",
}

function listStubs({ locale, word }: Pen, record: GatedRecord): string[] {
  const byOffer = new Map<string, { readonly address: string; readonly labels: string[] }>()
  for (const [field, held] of Object.entries(record)) {
    const label = FIELD_LABELS[field]
    if (!isStub(held) || label === undefined) continue
    const offer = byOffer.get(held.upgrade) ?? { address: held.upgrade_url, labels: [] }
    offer.labels.push(word(label))
    byOffer.set(held.upgrade, offer)
  }
  return [...byOffer].map(([upgrade, { address, labels }]) =>
    locale.label(`**${writeLink(upgrade, address)}**`, locale.list(labels)),
  )
}
