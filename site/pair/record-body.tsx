/**
 * Everything that is recorded of a pair: what to bring and to do, what to know there, where to apply, how we know it, and what is unknown.
 */
import type { FullRecord } from "landfall/full"
import { useState } from "preact/hooks"
import { AwaitedRecord, beyond, LeftOut, type LeftOutList, PRINTED_LINES } from "../left-out.tsx"
import { usePage } from "../page-context.ts"
import type { Verdict } from "../verdict/judge-visit.ts"
import { Evidence } from "./evidence.tsx"
import { hostOf, Missions } from "./missions.tsx"
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
        <section key={key} aria-label={heading}>
          <h2>{heading}</h2>
          {body}
        </section>
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
          <section class="not-known" aria-label={words.say("pair.not_known")}>
            <h2>{words.say("pair.not_known")}</h2>
            <p>{locale.list(unknown)}</p>
            <p class="note">{words.say("pair.not_known_why")}</p>
          </section>
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
