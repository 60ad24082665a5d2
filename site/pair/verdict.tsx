/** The answer itself, in large letters: the requirement, the days, its certainty, and scheduled changes. */
import { type Dataset, type Found, listScheduledChanges } from "landfall"
import { type FullRecord, type Locale, sayDispute } from "landfall/full"
import { describeReading } from "../describe-reading.ts"
import { Swatch } from "../map/hatching.tsx"
import { usePage } from "../page-context.ts"
import { LinkedText, Source } from "./linked-text.tsx"

interface VerdictProps {
  readonly record: FullRecord
  readonly locale: Locale
  readonly answer: Found
  readonly dataset: Dataset
}

/** Fields that a record may have beyond those of its type: rules of newer data, shown when they are there. */
interface FurtherFields {
  readonly conditions?: readonly { readonly text: string; readonly source_url?: string | null }[]
  readonly changed_since?: { readonly on: string; readonly source_url?: string | null }
  readonly stay_basis?: string
  readonly ends_on?: string
}

export function Verdict({ record, locale, answer, dataset }: VerdictProps) {
  const { words } = usePage()
  const { passport, destination } = record
  const further = record as FullRecord & FurtherFields
  const announced = listScheduledChanges(dataset).filter(
    change => change.passport === passport && change.destination === destination,
  )
  const stay = answer.home
    ? null
    : record.visa_free_days === null
      ? ["visa_required", "no_admission"].includes(record.requirement)
        ? null
        : words.say("label.stay_not_fixed")
      : words.days(record.visa_free_days)
  return (
    <section class="verdict" aria-label={locale.say({ key: "label.requirement" })}>
      <p class="headline">
        <Swatch category={answer.home ? "home" : answer.requirement} />
        <strong>{words.say(answer.home ? "category.home" : `requirement.${record.requirement}`)}</strong>
        {stay !== null && <span class="stay">{stay}</span>}
      </p>
      <p class="description">{record.description}</p>
      {record.requirement_status === "uncertain" && <p class="warning">{words.say("label.uncertain")}</p>}
      {further.stay_basis === "table" && <p class="warning">{words.say("pair.stay_of_table")}</p>}
      {further.changed_since !== undefined && (
        <p class="warning">
          {words.say("pair.changed_since", { date: { on: further.changed_since.on } })}{" "}
          {further.changed_since.source_url && <LinkedText text={further.changed_since.source_url} />}
        </p>
      )}
      {further.ends_on !== undefined && (
        <p class="warning">{words.say("pair.ends_on", { date: { on: further.ends_on } })}</p>
      )}
      {further.disputed?.open === true && <p class="warning">{sayDispute(locale, further)}</p>}
      {announced.map(({ effectiveFrom, current }) => (
        <p key={effectiveFrom} class="warning">
          {words.locale.label(
            words.say("pair.announced", { date: { on: effectiveFrom } }),
            current === null ? words.say("category.unknown") : words.say(`requirement.${current.requirement}`),
          )}
        </p>
      ))}
      {further.conditions !== undefined && further.conditions.length > 0 && <h2>{words.say("word.conditions")}</h2>}
      {(further.conditions ?? []).map(({ text, source_url: url }) => (
        <p key={text} class="condition">
          <LinkedText text={text} /> {url && <LinkedText text={url} />}
        </p>
      ))}
      <p class="note">
        {describeReading(words, answer, dataset)}
        {answer.source !== null && <Source name={answer.source.name} url={answer.source.url} day={null} />}
      </p>
    </section>
  )
}
