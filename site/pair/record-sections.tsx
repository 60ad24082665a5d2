/**
 * How is a record shown on the page?
 *
 * One section a field, in the order and with the texts of the record's own page. Fields that are more than lines of text are drawn here. An unknown field that would concern this traveller
 * is named at the end instead.
 */

import {
  type FieldName,
  type FullRecord,
  type Locale,
  listRecordSections,
  type MessageKey,
  type RecordSection,
} from "landfall/full"
import type { ComponentChildren } from "preact"
import { Facts } from "../controls/controls.tsx"
import { beyond, type LeftOutList, lineOnPaper, PRINTED_LINES } from "../left-out.tsx"
import { usePage } from "../page-context.ts"
import { LinkedText, Source } from "./linked-text.tsx"

type Items = RecordSection["items"]

/** Fields with a place of their own on the page. */
const SHOWN_ELSEWHERE: ReadonlySet<FieldName> = new Set(["conditions", "embassies", "reciprocity_history", "sources"])

/** Lists the sections of a record, each with its contents. */
export const listSections = (record: FullRecord, locale: Locale) =>
  listRecordSections(record, locale)
    .filter(({ field }) => !SHOWN_ELSEWHERE.has(field))
    .map(({ field, heading, items }) => ({ key: field, heading, body: drawSection(record, locale, field, items) }))

function drawSection(record: FullRecord, locale: Locale, field: FieldName, items: Items): ComponentChildren {
  switch (field) {
    case "process":
      return <Steps steps={record.process ?? []} />
    case "visa_types":
      return <VisaTypes record={record} locale={locale} />
    case "safety":
      return <Safety record={record} locale={locale} />
    case "transit_visa":
      return <Transit record={record} locale={locale} items={items} />
    case "tips": {
      const general = generalTips(record, locale)
      return <Lines items={items} isLeftOut={text => general.includes(text)} />
    }
    case "remote_work_visa":
      return <Lines items={items} isLeftOut={(_, at) => at >= PRINTED_LINES.remoteWork} />
    default:
      return <Lines items={items} />
  }
}

/** The advice that is true of many destinations and decides no entry. */
const generalTips = ({ destination }: FullRecord, locale: Locale): readonly string[] => [
  locale.say({ key: "issue.entry_exit_system" }),
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

interface LinesProps {
  readonly items: Items
  /** Whether a text is left out on paper. */
  readonly isLeftOut?: (text: string, at: number) => boolean
}

/** Texts as a list and labelled lines as facts, those first that are first in the record. */
function Lines({ items, isLeftOut = () => false }: LinesProps) {
  const [texts, facts] = [items.filter(({ label }) => label === null), items.filter(({ label }) => label !== null)]
  const list = texts.length > 0 && (
    <ul key="texts" class="bullets">
      {texts.map(({ text }, at) => (
        <li key={text} class={isLeftOut(text, at) ? "beyond" : undefined}>
          <LinkedText text={text} />
        </li>
      ))}
    </ul>
  )
  const table = facts.length > 0 && (
    <Facts key="facts" rows={facts.map(({ label, text }) => [label, <LinkedText key={label} text={text} />])} />
  )
  return <>{items[0]?.label === null ? [list, table] : [table, list]}</>
}

function Steps({ steps }: { readonly steps: readonly string[] }) {
  return (
    <ol class="steps">
      {steps.map(step => (
        <li key={step}>
          <LinkedText text={step} />
        </li>
      ))}
    </ol>
  )
}

interface Written {
  readonly record: FullRecord
  readonly locale: Locale
}

function VisaTypes({ record: { visa_types: types = [] }, locale }: Written) {
  return (
    <ul class="visa-types">
      {types.map(({ nom: name, cout: fee, duree: duration, description }) => (
        <li key={name}>
          <strong>{name}</strong>
          <p>{description}</p>
          {duration !== undefined && <p class="note">{duration}</p>}
          <p class="note">{locale.label(locale.say({ key: "label.fee" }), fee)}</p>
        </li>
      ))}
    </ul>
  )
}

function Safety({ record: { safety }, locale }: Written) {
  if (safety === undefined) return null
  return (
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
  )
}

/** Whether this passport needs a visa to change planes, and the list, folded. A list that may be longer does not say no. */
function Transit({ record, locale, items }: Written & { readonly items: Items }) {
  const { words } = usePage()
  const { required_for: codes, complete } = record.transit_visa ?? {}
  const isNamed = codes?.includes(record.passport) === true
  const answer = isNamed ? "label.yes" : codes !== undefined && complete === true ? "label.no" : null
  const said = answer === null ? words.say("category.unknown") : locale.say({ key: answer })
  const hasList = codes !== undefined && codes.length > 0
  return (
    <>
      <Facts rows={[[words.say("pair.transit_you"), <strong key="answer">{said}</strong>]]} />
      {hasList && (
        <details>
          <summary>{words.say("pair.transit_list")}</summary>
          <Lines items={items.slice(0, 1)} />
        </details>
      )}
      <Lines items={hasList ? items.slice(1) : items} />
    </>
  )
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
