/**
 * How is a record shown on the page?
 *
 * One section a subject, in the order in which a traveller needs them, under the record's own headings. A field that the record does not hold has no section; an unknown one that would
 * concern this traveller is named at the end instead.
 */
import type { FullRecord, Locale, MessageKey, Money } from "landfall/full"
import type { ComponentChildren } from "preact"
import { beyond, type LeftOutList, lineOnPaper, PRINTED_LINES } from "../left-out.tsx"
import { usePage } from "../page-context.ts"
import { LinkedText, Source } from "./linked-text.tsx"

/** One section: its heading and its contents. */
export interface Section {
  readonly key: string
  readonly heading: string
  readonly body: ComponentChildren
}

interface Fact {
  readonly label: MessageKey
  readonly text: string | undefined
}

/** Writes the texts of sections in the record's language. */
class Wording {
  constructor(locale: Locale) {
    this.locale = locale
  }
  readonly locale: Locale

  say(key: MessageKey): string {
    return this.locale.say({ key })
  }
  money(held: Money | undefined): string | undefined {
    return held === undefined ? undefined : this.locale.formatValue({ money: held })
  }
  days(held: number | undefined): string | undefined {
    return held === undefined ? undefined : this.locale.formatValue({ days: held })
  }
  yesNo(held: boolean | undefined): string | undefined {
    return held === undefined ? undefined : this.say(held ? "label.yes" : "label.no")
  }
}

/** Lists the sections of a record that hold anything. */
export function listSections(record: FullRecord, locale: Locale): readonly Section[] {
  const wording = new Wording(locale)
  const sections = [...listBefore(record, wording), ...listThere(record, wording), ...listAbout(record, wording)]
  return sections.flatMap(([heading, body]) =>
    body === null ? [] : [{ key: heading, heading: wording.say(heading), body }],
  )
}

/** The advice that is true of many destinations and decides no entry. */
const generalTips = ({ destination }: FullRecord, locale: Locale): readonly string[] => [
  locale.say({ key: "tips.entry_exit_system" }),
  locale.say({ key: "tips.exceptional_extension" }),
  locale.say({ key: "tips.border_questions" }),
  locale.say({ key: "tips.confirm", values: { destination: { country: destination } } }),
]

/** Lists what of the sections is left out on paper. */
export function listLeftOut(record: FullRecord, locale: Locale): readonly LeftOutList[] {
  const name = (key: MessageKey) => locale.say({ key })
  const general = generalTips(record, locale)
  const { tips, safety, remote_work_visa: work, transit_visa: transit } = record
  return [
    [name("label.tips"), tips?.filter(tip => general.includes(tip)).length ?? 0],
    [name("label.safety"), beyond(safety?.others, PRINTED_LINES.safety - 1)],
    [name("label.remote_work"), beyond(work?.requirements, PRINTED_LINES.remoteWork)],
    [name("label.transit_required_for"), transit?.required_for?.length ?? 0],
  ]
}

type Draft = readonly [heading: MessageKey, body: ComponentChildren | null]

function listBefore(record: FullRecord, wording: Wording): readonly Draft[] {
  const { locale } = wording
  const { visa_fee: fee, processing_days: processing, photo_specs: photo, insurance_required: insurance } = record
  const cover =
    insurance?.min_coverage === undefined || insurance.currency === undefined
      ? wording.yesNo(insurance?.required)
      : wording.money({ amount: insurance.min_coverage, currency: insurance.currency })
  const months = record.passport_validity_months
  return [
    ["label.documents", bullets(record.documents_required)],
    ["label.process", steps(record.process)],
    ["label.passport_validity", months ? <p>{locale.formatValue({ months })}</p> : null],
    ["label.visa_types", describeVisaTypes(record, wording)],
    [
      "label.fee",
      facts(wording, [
        { label: "label.single_entry", text: wording.money(fee?.single_entry) },
        { label: "label.multiple_entry", text: wording.money(fee?.multiple_entry) },
      ]),
    ],
    [
      "label.processing",
      facts(wording, [
        { label: "label.standard", text: wording.days(processing?.standard) },
        { label: "label.express", text: wording.days(processing?.express) },
        { label: "label.rush", text: wording.days(processing?.rush) },
      ]),
    ],
    ["label.apply", text(record.best_apply_period)],
    [
      "label.photo",
      facts(wording, [
        { label: "label.photo", text: sizeOf(locale, photo?.width_mm, photo?.height_mm) },
        { label: "label.background", text: photo?.background },
        { label: "label.glasses", text: wording.yesNo(photo?.glasses_allowed) },
        { label: "label.head_covering", text: wording.yesNo(photo?.head_covering_allowed) },
      ]),
    ],
    ["label.insurance", text(cover)],
  ]
}

function listThere(record: FullRecord, wording: Wording): readonly Draft[] {
  const { transit_visa: transit, extension, entry_by_mode: modes } = record
  return [
    ["label.tips", bullets(record.tips, written => generalTips(record, wording.locale).includes(written))],
    ["label.vaccinations", bullets(record.vaccinations_required)],
    ["label.health", bullets(listTexts(record.health_requirements))],
    ["label.transit", transit === undefined ? null : <Transit record={record} wording={wording} />],
    ["label.minors", bullets(listTexts(record.minor_rules))],
    ["label.dual_nationality", bullets(record.dual_nationality_warnings)],
    ["label.stamps", bullets(record.stamp_warnings)],
    [
      "label.extension",
      facts(wording, [
        { label: "label.possible", text: wording.yesNo(extension?.possible) },
        { label: "label.fee", text: extension?.cout },
        { label: "label.duration", text: extension?.duree },
        { label: "label.where", text: extension?.lieu },
      ]),
    ],
    ["label.overstay", text(record.overstay_penalty?.details)],
    [
      "label.entry_by_mode",
      facts(wording, [
        { label: "label.air", text: modes?.air },
        { label: "label.land", text: modes?.land },
        { label: "label.sea", text: modes?.sea },
      ]),
    ],
  ]
}

function listAbout(record: FullRecord, wording: Wording): readonly Draft[] {
  const { locale } = wording
  const { country_info: country, remote_work_visa: work, safety } = record
  const currency = country?.currency
  return [
    [
      "label.safety",
      safety === undefined ? null : (
        <ul>
          {[safety, ...(safety.others ?? [])].map(({ advisory, source, source_url: url, updated_at: on }, at) => (
            <li key={source} class={lineOnPaper(at, PRINTED_LINES.safety)}>
              {at === 0 && safety.level !== undefined && (
                <strong class="level">{locale.formatValue(safety.level)}/4 </strong>
              )}
              {advisory}
              <Source name={source} url={url ?? null} day={on === undefined ? null : locale.formatValue({ on })} />
            </li>
          ))}
        </ul>
      ),
    ],
    [
      "label.country",
      facts(wording, [
        { label: "label.capital", text: country?.capital },
        { label: "label.currency", text: currency && `${locale.nameCurrency(currency)} (${currency})` },
        { label: "label.language", text: country?.language },
        { label: "label.timezone", text: country?.timezone },
      ]),
    ],
    [
      "label.remote_work",
      work === undefined ? null : (
        <>
          {facts(wording, [
            {
              label: "label.duration",
              text:
                work.duration_months === undefined ? undefined : locale.formatValue({ months: work.duration_months }),
            },
            { label: "label.fee", text: wording.money(work.fee) },
          ])}
          {bullets(work.requirements, (_, at) => at >= PRINTED_LINES.remoteWork)}
        </>
      ),
    ],
  ]
}

interface TransitProps {
  readonly record: FullRecord
  readonly wording: Wording
}

/** Whether this passport needs a visa to change planes, and the lists, folded. A list that may be longer does not say no. */
function Transit({ record: { passport, transit_visa: transit = {} }, wording }: TransitProps) {
  const { words } = usePage()
  const { locale } = wording
  const { required_for: codes, complete, hubs } = transit
  const isNamed = codes?.includes(passport)
  const isNeeded = isNamed === true ? true : codes !== undefined && complete === true ? false : undefined
  const names = codes?.map(locale.nameCountry).sort((one, other) => one.localeCompare(other, locale.language))
  const label = complete === false ? "label.transit_required_for_some" : "label.transit_required_for"
  return (
    <>
      <dl class="facts">
        <div>
          <dt>{words.say("pair.transit_you")}</dt>
          <dd>
            <strong>{wording.yesNo(isNeeded) ?? words.say("category.unknown")}</strong>
          </dd>
        </div>
      </dl>
      {names !== undefined && names.length > 0 && (
        <details>
          <summary>{words.say("pair.transit_list")}</summary>
          {facts(wording, [{ label, text: locale.list(names) }])}
        </details>
      )}
      {facts(wording, [{ label: "label.transit_hubs", text: hubs && locale.list(hubs) }])}
    </>
  )
}

function describeVisaTypes({ visa_types: types }: FullRecord, wording: Wording): ComponentChildren | null {
  if (types === undefined || types.length === 0) return null
  return (
    <ul class="visa-types">
      {types.map(({ nom: name, cout: fee, duree: duration, description }) => (
        <li key={name}>
          <strong>{name}</strong>
          <p>{description}</p>
          {duration !== undefined && <p class="note">{duration}</p>}
          {fee !== undefined && <p class="note">{wording.locale.label(wording.say("label.fee"), fee)}</p>}
        </li>
      ))}
    </ul>
  )
}

function facts(wording: Wording, rows: readonly Fact[]): ComponentChildren | null {
  const known = rows.filter(({ text: written }) => written !== undefined && written !== "")
  if (known.length === 0) return null
  return (
    <dl class="facts">
      {known.map(({ label, text: written }) => (
        <div key={label}>
          <dt>{wording.say(label)}</dt>
          <dd>
            <LinkedText text={written ?? ""} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function bullets(
  texts: readonly string[] | undefined,
  isLeftOut: (written: string, at: number) => boolean = () => false,
): ComponentChildren | null {
  if (texts === undefined || texts.length === 0) return null
  return (
    <ul class="bullets">
      {texts.map((written, at) => (
        <li key={written} class={isLeftOut(written, at) ? "beyond" : undefined}>
          <LinkedText text={written} />
        </li>
      ))}
    </ul>
  )
}

function steps(texts: readonly string[] | undefined): ComponentChildren | null {
  if (texts === undefined || texts.length === 0) return null
  return (
    <ol class="steps">
      {texts.map(written => (
        <li key={written}>
          <LinkedText text={written} />
        </li>
      ))}
    </ol>
  )
}

function text(written: string | undefined): ComponentChildren | null {
  return written === undefined || written === "" ? null : <p>{written}</p>
}

/** Gets the texts of a field that is a text, a list of texts, or an object with notes. */
function listTexts(held: unknown): readonly string[] {
  if (typeof held === "string") return [held]
  if (Array.isArray(held)) return held.filter(one => typeof one === "string")
  if (typeof held === "object" && held !== null && "notes" in held) return listTexts(held.notes)
  return []
}

function sizeOf(locale: Locale, width: number | undefined, height: number | undefined): string | undefined {
  if (width === undefined || height === undefined) return undefined
  const millimetres = new Intl.NumberFormat(locale.language, { style: "unit", unit: "millimeter" })
  return `${locale.formatValue(width)} × ${millimetres.format(height)}`
}

/** Fields that a visitor may want and the record may lack: the field, its heading, and whether it matters only with a visa. */
const MAY_BE_UNKNOWN: readonly (readonly [field: keyof FullRecord, heading: MessageKey, needsVisa: boolean])[] = [
  ["passport_validity_months", "label.passport_validity", false],
  ["visa_fee", "label.fee", true],
  ["processing_days", "label.processing", true],
  ["photo_specs", "label.photo", true],
  ["insurance_required", "label.insurance", false],
  ["vaccinations_required", "label.vaccinations", false],
  ["transit_visa", "label.transit", false],
  ["minor_rules", "label.minors", false],
  ["extension", "label.extension", false],
  ["overstay_penalty", "label.overstay", false],
  ["entry_by_mode", "label.entry_by_mode", false],
  ["embassy", "label.embassy_apply", true],
]

/** Names unknown fields that would concern a visitor; none for travellers who are at home, move freely, or are not admitted. */
export function listUnknown(record: FullRecord, locale: Locale, isVisitor: boolean): readonly string[] {
  if (!isVisitor || record.requirement === "no_admission") return []
  const takesVisa = record.requirement !== "visa_free"
  return MAY_BE_UNKNOWN.filter(([field, , needsVisa]) => record[field] === undefined && (takesVisa || !needsVisa)).map(
    ([, heading]) => locale.say({ key: heading }),
  )
}
