/**
 * The answer about one destination: the verdict on each traveller, then everything that is recorded: what to bring and to do, what to know
 * there, where to apply, how we know it, and what is unknown. It can be shared and printed.
 */
import type { FullRecord, Language } from "landfall/full"
import { useMemo, useState } from "preact/hooks"
import { type AskAddress, writtenAddress } from "../address.ts"
import { isPastDay } from "../answers.ts"
import { daysOf, groupPeople, judgePlace } from "../anywhere/find-places.ts"
import { type Question, travellersOf } from "../ask/question.ts"
import { namePeople, QuestionBar } from "../ask/question-form.tsx"
import { Arriving } from "../controls/arriving.tsx"
import { CopyButton } from "../controls/copy-button.tsx"
import { Icon } from "../controls/icon.tsx"
import { Title } from "../controls/title.tsx"
import { useFirstPaint } from "../first-paint.ts"
import type { Words } from "../language/words.ts"
import { beyond, LeftOut, type LeftOutList, PRINTED_LINES } from "../left-out.tsx"
import { usePage } from "../page-context.ts"
import { isOfOtherKind } from "../trip/kinds.ts"
import type { Verdict } from "../verdict/judge-visit.ts"
import { sayVerdict } from "../verdict/say-verdict.ts"
import { OutcomeWord } from "../verdict/verdict.tsx"
import { wholeViewOn } from "../whole-dataset.ts"
import { AnswerCard } from "./answer-card.tsx"
import { Evidence } from "./evidence.tsx"
import { hostOf, Missions } from "./missions.tsx"
import { PastPair } from "./past-pair.tsx"
import { type OpenedRecord, openRecord, useRecord } from "./record.ts"
import { listLeftOut, listSections, listUnknown } from "./record-sections.tsx"

interface Asked {
  readonly question: Question
  readonly to: string
}

/** The passport whose record is shown: the one that the hardest verdict is about. */
const passportOf = (question: Question, verdict: Verdict): string =>
  verdict.decision?.steps[0]?.passport ?? travellersOf(question)[0]?.passports[0] ?? ""

/** The day of the record; null for today. */
const recordDay = ({ from }: Question): string | null => (from === "" ? null : from)

/** Opens the record of a pair before its view is drawn. */
export async function openPair({ question }: AskAddress, language: Language): Promise<unknown> {
  const { to } = question
  if (to === null) return
  const { verdict } = judgePlace(wholeViewOn(null), question, to)
  return openRecord({ on: recordDay(question), language, passport: passportOf(question, verdict), destination: to })
}

/** More people are named by their number. */
const MOST_NAMED = 4

export function PairPage({ address: { question } }: { readonly address: AskAddress }) {
  const { words } = usePage()
  const { to, from } = question
  if (to === null) return null
  const people = travellersOf(question)
  const [passport = ""] = people[0]?.passports ?? []
  const isPast = isPastDay(from) && people.length === 1
  const names =
    people.length > MOST_NAMED
      ? words.say("group.people", { count: people.length })
      : people.map(({ passports }) => words.locale.list(passports.map(words.country))).join(" · ")
  const title =
    people.length === 1
      ? words.say("label.title", { passport: { country: passport }, destination: { country: to } })
      : words.locale.label(names, words.country(to))
  return (
    <article class="pair">
      <QuestionBar question={question} />
      <header>
        <Title text={title}>
          <span class="from">{names}</span> <Icon name="ahead" /> <span class="to">{words.country(to)}</span>
        </Title>
      </header>
      {isPast ? <PastPair address={{ passport, destination: to, on: from }} /> : <PresentPair {...{ question, to }} />}
    </article>
  )
}

/** All that the card of a verdict says, for people who get the same one. */
const sayWhole = (words: Words, verdict: Verdict): string =>
  JSON.stringify([
    sayVerdict(words, verdict),
    verdict.isAssumed,
    { ...verdict.decision, passports: [], held: [], steps: [] },
  ])

function PresentPair({ question, to }: Asked) {
  const { words, linkTo, address } = usePage()
  const people = travellersOf(question)
  const judging = wholeViewOn(null)
  const asked = JSON.stringify(question)
  const place = useMemo(() => judgePlace(judging, question, to), [judging, asked])
  const { verdict } = place
  const groups = useMemo(() => groupPeople(place, question, each => sayWhole(words, each)), [place, words])
  const passport = passportOf(question, verdict)
  const found = useRecord({ on: recordDay(question), language: words.language, passport, destination: to })
  const opened = found === "failed" ? null : found
  const live = people[0]?.live || passport
  const mission = opened?.hosts.get(live)?.find(({ website }) => website !== null)?.website ?? null
  // The record of a pair is that of ordinary passports.
  const isOther = isOfOtherKind(passport, people[0]?.kind ?? "")
  return (
    <>
      {groups.length > 1 && (
        <ul class="groups">
          {groups.map(({ people: some, verdict: each }, at) => (
            <li key={at}>
              <OutcomeWord verdict={each} /> {namePeople(words, some, people.length)}
            </li>
          ))}
        </ul>
      )}
      {groups.map(({ people: some, verdict: each }, at) => (
        <AnswerCard
          key={at}
          verdict={each}
          destination={to}
          isDated={question.from !== ""}
          facts={opened?.facts ?? null}
          who={people.length === 1 ? null : namePeople(words, some, people.length)}
          mission={mission}
        />
      ))}
      <p class="note">{words.say("pair.as_of", { date: { on: daysOf(question).from } })}</p>
      <div class="actions">
        <button type="button" class="button" onClick={() => window.print()}>
          {words.say("pair.print")}
        </button>
        <CopyButton
          label={words.say("pair.copy")}
          text={() => new URL(writtenAddress(question) ?? linkTo(address), location.href).href}
        />
      </div>
      {(found === null || found === "failed") && <Arriving hasFailed={found === "failed"} />}
      {opened !== null && opened.record !== null && !isOther && (
        <RecordBody
          link={writtenAddress(question) ?? linkTo(address)}
          opened={{ ...opened, record: opened.record }}
          verdict={verdict}
        />
      )}
    </>
  )
}

interface RecordBodyProps {
  readonly opened: OpenedRecord & { readonly record: FullRecord }
  readonly verdict: Verdict
  /** The address of the pair. */
  readonly link: string
}

/** Fields of a record that are about its requirement: they are shown where that is the verdict's. */
const OF_REQUIREMENT: readonly string[] = ["documents_required", "process", "visa_types"]

/** Fields that decide an entry or say how to apply; the others are folded. */
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

function RecordBody({ opened, verdict, link }: RecordBodyProps) {
  const { words } = usePage()
  const { record, locale } = opened
  const isPainted = useFirstPaint()
  const { requirement, outcome, look, decision } = verdict
  const step = decision?.steps[0]
  const answer = step?.requirement.status === "known" ? step.requirement.answer : null
  const isVisitor = look !== "home" && answer?.basis !== "freedom_of_movement"
  const unknown = listUnknown(record, locale, isVisitor)
  const isSame = requirement === record.requirement && outcome !== "unknown" && outcome !== "blocked"
  const sections = listSections(record, locale).filter(({ key }) => isSame || !OF_REQUIREMENT.includes(key))
  const further = sections.filter(({ key }) => !DECIDING.includes(key))
  const draw = (drawn: typeof sections) =>
    drawn.map(({ key, heading, body }) => (
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
        {draw(sections.filter(({ key }) => DECIDING.includes(key)))}
        {unknown.length > 0 && (
          <section class="not-known" aria-label={words.say("pair.not_known")}>
            <h2>{words.say("pair.not_known")}</h2>
            <p>{locale.list(unknown)}</p>
            <p class="note">{words.say("pair.not_known_why")}</p>
          </section>
        )}
      </div>
      {further.length > 0 && (
        <details class="more">
          <summary>{words.say("pair.more")}</summary>
          <div class="sections">{draw(further)}</div>
        </details>
      )}
      {isPainted && <Missions opened={opened} host={host} onChoose={setChosen} />}
      {isPainted && <Evidence {...{ record, locale, verdict, answer }} />}
      <p class="note">{locale.say({ key: "label.disclaimer" })}</p>
      <LeftOut lists={leftOut} link={link} />
    </>
  )
}
