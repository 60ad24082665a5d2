/**
 * The answer about one destination: the verdict on each traveller, then everything that is recorded. It can be shared and printed.
 *
 * What is recorded is folded below the answer, and a fifth of the page's bytes are for it. So it is loaded when the reader opens it or prints.
 */
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { type AskAddress, writtenAddress } from "../address.ts"
import { isPastDay } from "../answers.ts"
import { daysOf, groupPeople, judgePlace } from "../anywhere/find-places.ts"
import { type Question, travellersOf } from "../ask/question.ts"
import { namePeople, QuestionBar } from "../ask/question-form.tsx"
import { Arriving, Button, CopyButton, Icon, Later, Title } from "../controls/controls.tsx"
import type { Words } from "../language/words.ts"
import { laterPart, nextTask, useLaterPart } from "../later-part.ts"
import { AwaitedRecord } from "../left-out.tsx"
import { usePage } from "../page-context.ts"
import { isOfOtherKind } from "../trip/trip.ts"
import type { Verdict } from "../verdict/judge-visit.ts"
import { OutcomeWord, sayVerdict } from "../verdict/verdict.tsx"
import { wholeViewOn } from "../whole-dataset.ts"
import { AnswerCard } from "./answer-card.tsx"
import { loadTables, useTables } from "./facts.ts"
import type { RecordBodyProps } from "./record-body.tsx"

interface Asked {
  readonly question: Question
  readonly to: string
}

/** The passport whose record is shown: the one that the hardest verdict is about. */
const passportOf = (question: Question, verdict: Verdict): string =>
  verdict.decision?.steps[0]?.passport ?? travellersOf(question)[0]?.passports[0] ?? ""

/** The day of the record; null for today. */
const recordDay = ({ from }: Question): string | null => (from === "" ? null : from)

/** Loads what the card is completed with, and opens the rules and judges for the first time in tasks of their own, before the view is drawn. */
export async function openPair({ question }: AskAddress): Promise<void> {
  const { to } = question
  if (to === null) return
  await loadTables([to])
  await nextTask()
  const judging = wholeViewOn(null)
  await nextTask()
  judgePlace(judging, question, to)
  await nextTask()
}

const BODY = laterPart(() => import("./record-body.tsx"))
const PAST = laterPart(async () => (await import("./past-pair.tsx")).PastPair)

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
      {isPast ? (
        <Later part={PAST} address={{ passport, destination: to, on: from }} />
      ) : (
        <PresentPair {...{ question, to }} />
      )}
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
  const tables = useTables([to])
  const missions = tables === null || tables === "failed" ? null : tables.missions
  const near = missions?.listMissions(to, people[0]?.live || passport) ?? []
  const mission = near.find(({ website }) => website !== null)?.website ?? null
  const link = writtenAddress(question) ?? linkTo(address)
  const asking = { on: recordDay(question), language: words.language, passport, destination: to }
  const [isWanted, setWanted] = useState(false)
  const print = async () => {
    setWanted(true)
    await BODY.load()
      .then(({ openRecord }) => openRecord(asking))
      .catch(() => null)
    // Once it is drawn.
    requestAnimationFrame(() => setTimeout(() => window.print()))
  }
  // The record of a pair is that of ordinary passports.
  const isOther = isOfOtherKind(passport, people[0]?.kind ?? "")
  // Until the facts arrive, a fee would not be recorded and two forms would have one name.
  if (tables === null) return <Arriving />
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
          who={people.length === 1 ? null : namePeople(words, some, people.length)}
          mission={mission}
        >
          {at === groups.length - 1 && (
            <>
              <p class="note">{words.say("pair.as_of", { date: { on: daysOf(question).from } })}</p>
              <div class="actions">
                <Button label={words.say("pair.print")} onClick={() => void print()} />
                <CopyButton label={words.say("pair.copy")} text={() => new URL(link, location.href).href} />
              </div>
            </>
          )}
        </AnswerCard>
      ))}
      {!isOther && <LaterRecord {...{ asking, verdict, link, isWanted }} onWant={() => setWanted(true)} />}
    </>
  )
}

interface LaterRecordProps extends RecordBodyProps {
  readonly isWanted: boolean
  readonly onWant: () => void
}

/** What is recorded, folded. A browser prints without waiting: so it is loaded with the first key of those that print, and paper says what is missing. */
function LaterRecord({ isWanted, onWant, ...props }: LaterRecordProps) {
  const { words } = usePage()
  const fold = useRef<HTMLDetailsElement>(null)
  const part = useLaterPart(BODY, isWanted)
  useEffect(() => {
    const setOpen = (isOpen: boolean) => fold.current?.toggleAttribute("open", isOpen)
    const unfold = () => {
      const wasOpen = fold.current?.open === true
      setOpen(true)
      addEventListener("afterprint", () => setOpen(wasOpen), { once: true })
    }
    const foresee = ({ ctrlKey, metaKey }: KeyboardEvent) => (ctrlKey || metaKey) && onWant()
    addEventListener("beforeprint", unfold)
    addEventListener("keydown", foresee)
    return () => {
      removeEventListener("beforeprint", unfold)
      removeEventListener("keydown", foresee)
    }
  }, [])
  return (
    <details ref={fold} class="more" onToggle={({ currentTarget }) => currentTarget.open && onWant()}>
      <summary>{words.say("pair.more")}</summary>
      {part === null || part === "failed" ? (
        <AwaitedRecord hasFailed={part === "failed"} link={props.link} />
      ) : (
        <part.RecordBody {...props} />
      )}
    </details>
  )
}
