/**
 * Everything that is recorded of a pair: what to bring and to do, what to know there, where to apply, how we know it, and what is unknown.
 */

import { type FullRecord, type Locale, type MissionFact, sayDispute } from "landfall/full"
import { useState } from "preact/hooks"
import { pairsDataset } from "../answers.ts"
import { Icon, Section } from "../controls/controls.tsx"
import { CountryPicker } from "../controls/country-picker.tsx"
import { REPORTS } from "../error-boundary.tsx"
import { AwaitedRecord, beyond, LeftOut, type LeftOutList, lineOnPaper, PRINTED_LINES } from "../left-out.tsx"
import { Swatch } from "../map/hatching.tsx"
import { usePage } from "../page-context.ts"
import type { Verdict } from "../verdict/judge-visit.ts"
import { LinkedText, Source } from "./linked-text.tsx"
import { DaySpan, PairYears } from "./past-pair.tsx"
import { type OpenedRecord, type RecordQuestion, useRecord } from "./record.ts"
import { listLeftOut, listSections, listUnknown } from "./record-sections.tsx"

export { openRecord } from "./record.ts"

export interface RecordBodyProps {
  readonly asking: RecordQuestion
  readonly verdict: Verdict
  /** The address of the pair. */
  readonly link: string
}

/** Fields of a record that are about its requirement: they are shown where that is the verdict's. */
const OF_REQUIREMENT: readonly string[] = ["documents_required", "process", "visa_types"]

/** Fields that decide an entry or say how to apply; the others follow. */
const DECIDING: readonly string[] = [
  ...OF_REQUIREMENT,
  "passport_validity_months",
  "visa_fee",
  "processing_days",
  "transit_visa",
  "insurance_required",
  "vaccinations_required",
  "tips",
]

export function RecordBody({ asking, verdict, link }: RecordBodyProps) {
  const opened = useRecord(asking)
  if (opened === null || opened === "failed") return <AwaitedRecord hasFailed={opened === "failed"} link={link} />
  const { record } = opened
  return record === null ? null : <Recorded {...{ opened, record, verdict, link }} />
}

interface RecordedProps extends Omit<RecordBodyProps, "asking"> {
  readonly opened: OpenedRecord
  readonly record: FullRecord
}

function Recorded({ opened, record, verdict, link }: RecordedProps) {
  const { words } = usePage()
  const { locale } = opened
  const { requirement, outcome, look, decision } = verdict
  const step = decision?.steps[0]
  const answer = step?.requirement.status === "known" ? step.requirement.answer : null
  const isVisitor = look !== "home" && answer?.basis !== "freedom_of_movement"
  const unknown = listUnknown(record, locale, isVisitor)
  const isSame = requirement === record.requirement && outcome !== "unknown" && outcome !== "blocked"
  const sections = listSections(record, locale).filter(({ key }) => isSame || !OF_REQUIREMENT.includes(key))
  const draw = (isDeciding: boolean) =>
    sections
      .filter(({ key }) => DECIDING.includes(key) === isDeciding)
      .map(({ key, heading, body }) => (
        <Section key={key} title={heading}>
          {body}
        </Section>
      ))
  const [chosen, setChosen] = useState<string | null>(null)
  const host = hostOf(opened, record.passport, chosen)
  const leftOut: readonly LeftOutList[] = [
    ...listLeftOut(record, locale),
    [words.say("pair.missions"), beyond(host === null ? [] : opened.hosts.get(host), PRINTED_LINES.missions)],
    [locale.say({ key: "label.embassy_there" }), beyond(opened.own, PRINTED_LINES.missions)],
    [locale.say({ key: "label.history" }), beyond(record.reciprocity_history, PRINTED_LINES.history)],
    [locale.say({ key: "label.sources" }), beyond(record.sources, PRINTED_LINES.sources)],
  ]
  return (
    <>
      <div class="sections">
        {draw(true)}
        {unknown.length > 0 && (
          <Section class="not-known" title={words.say("pair.not_known")}>
            <p>{locale.list(unknown)}</p>
            <p class="note">{words.say("pair.not_known_why")}</p>
          </Section>
        )}
        {draw(false)}
      </div>
      <Missions opened={opened} host={host} onChoose={setChosen} />
      <Evidence {...{ record, locale }} />
      <p class="note">{locale.say({ key: "label.disclaimer" })}</p>
      <LeftOut
        parts={leftOut.flatMap(([name, count]) => (count > 0 ? [locale.label(name, words.number(count))] : []))}
        link={link}
      />
    </>
  )
}

interface MissionsProps {
  readonly opened: OpenedRecord
  /** The country whose missions are listed; null where none is chosen. */
  readonly host: string | null
  readonly onChoose: (code: string) => void
}

/** The country whose missions are listed: the chosen one, or that of the passport. */
const hostOf = ({ hosts }: OpenedRecord, passport: string, chosen: string | null): string | null =>
  chosen !== null && hosts.has(chosen) ? chosen : hosts.has(passport) ? passport : null

/**
 * Where can the visa be applied for, and which missions help a traveller there?
 *
 * The destination's missions in the country of the passport or in a chosen one; then those of the traveller's own country in the destination.
 * Nothing newer than the table's day is known.
 */
function Missions({ opened, host, onChoose }: MissionsProps) {
  const { locale, missionsAsOf, hosts, own } = opened
  const { words } = usePage()
  if (hosts.size === 0 && own.length === 0) return null
  const asOf = words.say("pair.missions_as_of", { date: { on: missionsAsOf } })
  return (
    <Section class="missions" title={words.say("pair.missions")}>
      {hosts.size > 0 && (
        <div>
          <CountryPicker
            label={words.say("pair.missions_in")}
            codes={[...hosts.keys()]}
            {...(host === null ? {} : { value: host })}
            onChoose={onChoose}
          />
          {host === null ? (
            <p class="note">{words.say("pair.missions_none_here")}</p>
          ) : (
            <MissionList missions={hosts.get(host) ?? []} locale={locale} />
          )}
          <p class="note">
            {words.say("pair.missions_count", { countries: hosts.size })} {asOf}
          </p>
        </div>
      )}
      {own.length > 0 && (
        <>
          <h3>{locale.say({ key: "label.embassy_there" })}</h3>
          <MissionList missions={own} locale={locale} />
        </>
      )}
    </Section>
  )
}

function MissionList({ missions, locale }: { readonly missions: readonly MissionFact[]; readonly locale: Locale }) {
  return (
    <ul class="mission-list">
      {missions.map(({ kind, city, website, phone }, at) => (
        <li key={`${kind} ${city} ${at}`} class={lineOnPaper(at, PRINTED_LINES.missions)}>
          <strong>{locale.say({ key: `mission.${kind}` })}</strong>
          {city !== null && <bdi>{city}</bdi>}
          {website !== null && <LinkedText text={website} />}
          {phone !== null && (
            <a href={`tel:${phone.replace(/[^+\d]/g, "")}`} dir="ltr">
              {phone}
            </a>
          )}
        </li>
      ))}
    </ul>
  )
}

interface Part {
  readonly record: FullRecord
  readonly locale: Locale
}

/**
 * How is the answer of a pair known, further than its card says? The statement of another source, the history of the rule, every source of the
 * record, and a prepared report of a mistake.
 */
function Evidence({ record, locale }: Part) {
  const { words } = usePage()
  const heading = words.say("pair.evidence_other")
  return (
    <Section class="evidence card" title={heading}>
      <p>
        <LinkedText text={sayDispute(locale, record) ?? words.say("pair.evidence_none")} />
      </p>
      <History record={record} locale={locale} />
      {record.passport !== record.destination && (
        <PairYears passport={record.passport} destination={record.destination} />
      )}
      <Sources record={record} locale={locale} />
      <p class="report">
        <a href={reportOf(record)} rel="noopener noreferrer external">
          {words.say("pair.report")}
        </a>
      </p>
    </Section>
  )
}

/** A form, filled in with the pair and its answer. */
function reportOf({ passport, destination, requirement, visa_free_days: days }: FullRecord): string {
  const { version } = pairsDataset()
  const answered = JSON.stringify({ passport, destination, requirement, visa_free_days: days, version })
  const title = `Data: ${passport} → ${destination}`
  return `${REPORTS}?${new URLSearchParams({ template: "wrong-data.yml", title, passport, destination, answered })}`
}

function History({ record, locale }: Part) {
  const { words } = usePage()
  const history = record.reciprocity_history ?? []
  if (history.length === 0) return null
  const heading = locale.say({ key: "label.history" })
  return (
    <Section title={heading} level={3}>
      <ol class="history">
        {history.map(({ date, seen_after: after, from, to, note, sources = [] }, at) => (
          // The latest ones stand last.
          <li key={`${date} ${from} ${to}`} class={lineOnPaper(history.length - 1 - at, PRINTED_LINES.history)}>
            <DaySpan after={after ?? null} by={date} />
            <span>
              {from !== to && (
                <>
                  <Swatch category={from} /> {words.say(`requirement.${from}`)} <Icon name="ahead" />{" "}
                </>
              )}
              <Swatch category={to} /> {words.say(`requirement.${to}`)}
              {note !== undefined && <span class="note"> {note}</span>}
              {sources.map(({ name, url }) => (
                <span key={name} class="note">
                  {" "}
                  <Source name={name} url={url} day={null} />
                </span>
              ))}
            </span>
          </li>
        ))}
      </ol>
      {history.some(({ sources }) => sources === undefined) && (
        <p class="note">{locale.say({ key: "history.dates_seen" })}</p>
      )}
    </Section>
  )
}

function Sources({ record, locale }: Part) {
  const { words } = usePage()
  const sources = record.sources ?? []
  if (sources.length === 0) return null
  const heading = locale.say({ key: "label.sources" })
  return (
    <Section class="sources" title={heading} level={3}>
      <ul class="bullets">
        {sources.map(({ name, url, as_of: on, verified_on: verifiedOn, cited_on: citedOn, fields }, at) => (
          <li key={`${name} ${url} ${on} ${fields}`} class={lineOnPaper(at, PRINTED_LINES.sources)}>
            <Source
              name={name}
              url={url}
              day={on === null ? null : locale.say({ key: "label.as_of", values: { date: { on } } })}
            />
            {verifiedOn !== null && (
              <span class="note"> {words.say("label.verified_on", { date: { on: verifiedOn } })}</span>
            )}
            {citedOn !== undefined && (
              <span class="note"> {words.say("label.cited_on", { date: { on: citedOn } })}</span>
            )}
          </li>
        ))}
      </ul>
    </Section>
  )
}
