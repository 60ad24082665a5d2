/**
 * How is the answer of a pair known, further than its card says? The statement of another source, the history of the rule, every source of the
 * record, and a prepared report of a mistake.
 */
import { type FullRecord, type Locale, sayDispute } from "landfall/full"
import { pairsDataset } from "../answers.ts"
import { Icon } from "../controls/icon.tsx"
import { REPORTS } from "../error-boundary.tsx"
import { lineOnPaper, PRINTED_LINES } from "../left-out.tsx"
import { Swatch } from "../map/hatching.tsx"
import { usePage } from "../page-context.ts"
import { LinkedText, Source } from "./linked-text.tsx"
import { DaySpan, PairYears } from "./past-pair.tsx"

interface Part {
  readonly record: FullRecord
  readonly locale: Locale
}

export function Evidence({ record, locale }: Part) {
  const { words } = usePage()
  const heading = words.say("pair.evidence_other")
  return (
    <section class="evidence card" aria-label={heading}>
      <h2>{heading}</h2>
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
    </section>
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
    <section aria-label={heading}>
      <h3>{heading}</h3>
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
    </section>
  )
}

function Sources({ record, locale }: Part) {
  const { words } = usePage()
  const sources = record.sources ?? []
  if (sources.length === 0) return null
  const heading = locale.say({ key: "label.sources" })
  return (
    <section class="sources" aria-label={heading}>
      <h3>{heading}</h3>
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
    </section>
  )
}
