/**
 * The answer: may I board, what to get and where, by when, at what cost, and how sure and how old this is.
 *
 * Everything is read off the engine's decision, completed with the recorded facts of the destination. The card has no sentence of its own
 * about a rule: what has to be done, what stops the traveller and what is not known are said by the catalogue of the engine's codes. Beside it
 * on a wide screen, and below it on a phone, stands how it is known and what is not.
 */

import type { Decision, Gap } from "landfall"
import { sayNotice } from "landfall/full"
import type { ComponentChildren } from "preact"
import { Section } from "../controls/controls.tsx"
import type { Words } from "../language/words.ts"
import { usePage } from "../page-context.ts"
import { Terms, useCompleted } from "../trip/to-do.tsx"
import { listDeciding, listFurther, type Verdict } from "../verdict/judge-visit.ts"
import {
  EvidenceMark,
  Gaps,
  nameToDo,
  OldEvidence,
  OutcomeWord,
  sayChange,
  sayEvidence,
  sayReason,
  sayVerdict,
} from "../verdict/verdict.tsx"
import { useTables } from "./facts.ts"
import { LinkedText, Source } from "./linked-text.tsx"

interface AnswerCardProps {
  readonly verdict: Verdict
  readonly destination: string
  /** Whether the reader gave a day: without one, no day to apply is said. */
  readonly isDated: boolean
  /** The traveller, if there are several. */
  readonly who: string | null
  /** A mission of the destination where the traveller lives. */
  readonly mission: string | null
  /** What stands below the reasons of the last card. */
  readonly children?: ComponentChildren
}

export function AnswerCard({ verdict, destination, isDated, who, mission, children }: AnswerCardProps) {
  const { words } = usePage()
  const { outcome, look, stayDays, isAssumed } = verdict
  const decision = useCompleted(verdict.decision)
  const isOpen = outcome === "unknown" || look === "ended"
  return (
    <div class="answer">
      <section class={`verdict card ${outcome}`} data-look={look} aria-label={words.say("label.requirement")}>
        <header>
          {who !== null && <p class="who">{who}</p>}
          <h2 class="verdict-head">
            <OutcomeWord verdict={verdict} />{" "}
            <span class="headline">{sayHeadline(words, { ...verdict, decision }, destination, isDated)}</span>
          </h2>
          <p>
            <EvidenceMark evidence={verdict.evidence} />
          </p>
          <OldEvidence evidence={verdict.evidence} />
          {(look === "transit" || look === "ended") && <p class="warning">{words.say(`look.${look}`)}</p>}
          {outcome === "obtain" && stayDays !== null && (
            <p>{words.say("trip.allowed", { days: { days: stayDays } })}</p>
          )}
        </header>
        {isOpen && (
          <>
            <Unknown verdict={verdict} />
            <Official url={mission} />
          </>
        )}
        {decision !== null && <Steps {...{ decision, isDated, mission }} />}
        {outcome === "obtain" && !isOpen && <Unknown verdict={verdict} />}
        {decision !== null && <Notices decision={decision} isEnded={look === "ended"} />}
        {isAssumed && <p class="note">{words.say("answer.assumed")}</p>}
      </section>
      <aside>
        <Reasons verdict={verdict} />
        {decision !== null && <FurtherUnknowns decision={decision} />}
        {children}
      </aside>
    </div>
  )
}

/** How the answer is known: its source, our reading of it, and the day and who confirmed it. */
function Reasons({ verdict }: Pick<AnswerCardProps, "verdict">) {
  const { words } = usePage()
  const heading = words.say("pair.evidence")
  const { source } = verdict
  // The rules of a page come without the names of some sources.
  const tables = useTables([])
  const facts = tables === "failed" ? null : tables?.facts
  return (
    <Section class="reasons" title={heading} level={3}>
      <dl>
        {source !== null && (
          <>
            <dt>{words.say("pair.evidence_source")}</dt>
            <dd>
              <Source name={facts?.sourceOf(source.id)?.name ?? source.name} url={source.url} day={null} />
            </dd>
          </>
        )}
        <dt>{words.say("pair.evidence_reading")}</dt>
        <dd>{sayVerdict(words, verdict)}</dd>
        <dt>{words.say("pair.evidence_by")}</dt>
        <dd>{sayEvidence(words, verdict.evidence)}</dd>
      </dl>
    </Section>
  )
}

/** What to do, with its day where one is known. */
function sayHeadline(words: Words, verdict: Verdict, destination: string, isDated: boolean): string {
  const { outcome, look, decision } = verdict
  if (outcome === "unknown" || look === "ended") return words.say("answer.ask", { country: { country: destination } })
  const [blocker] = decision?.blockers ?? []
  if (outcome === "blocked" && blocker !== undefined) return sayNotice(words.locale, blocker)
  const first = decision?.toDo.find(({ due }) => due === "before_departure")
  if (outcome !== "obtain" || decision === null || first === undefined) return sayReason(words, verdict)
  const named = nameToDo(words, decision, first)
  if (!isDated || first.applyBy === null) return named
  return words.locale.label(named, words.say("todo.apply_by", { date: { on: first.applyBy } }))
}

interface StepsProps {
  readonly decision: Decision
  readonly isDated: boolean
  readonly mission: string | null
}

/** What has to be obtained or done, each with its official page. */
function Steps({ decision, isDated, mission }: StepsProps) {
  const { words } = usePage()
  const { toDo } = decision
  if (toDo.length === 0) return null
  return (
    <ol class="to-do" aria-label={words.say("todo.title")}>
      {toDo.map(each => (
        <li key={`${each.code} ${each.name} ${each.message}`}>
          <h3>
            {nameToDo(words, decision, each)} {each.name !== null && <bdi class="note">{each.name}</bdi>}
          </h3>
          <Terms
            due={each.due}
            fee={each.fee}
            {...(isDated ? { applyBy: each.applyBy, applyFrom: each.applyFrom } : {})}
          />
          {each.fee === null && (
            <p class="note">{words.locale.label(words.say("label.fee"), words.say("data.none"))}</p>
          )}
          <Official url={each.url ?? (each.code === "visa_required" ? mission : null)} />
        </li>
      ))}
    </ol>
  )
}

/** The official page, as a button with the name of its host. */
function Official({ url }: { readonly url: string | null }) {
  const { words } = usePage()
  if (url === null || !/^https?:/.test(url) || !URL.canParse(url)) return null
  return (
    <a class="button main" href={url} rel="noopener noreferrer external">
      {words.say("answer.official")} <span dir="ltr">{new URL(url).host.replace(/^www\./, "")}</span>
    </a>
  )
}

/** What is not known and may change the outcome. */
function Unknown({ verdict: { decision } }: Pick<AnswerCardProps, "verdict">) {
  const { words } = usePage()
  if (decision === null) return <p>{words.say("category.unknown_why")}</p>
  return <Gaps gaps={listDeciding(decision).filter(isWorthSaying)} />
}

/** Says whether something unknown is more than that what was given changes nothing, or that a visa sets the days in a zone, as it does the stay. */
const isWorthSaying = ({ code }: Gap): boolean => code !== "not_modelled" && code !== "zone_no_fixed_stay"

/** What else the decision says: further blockers, conditions, and announced changes. */
function Notices({ decision, isEnded }: { readonly decision: Decision; readonly isEnded: boolean }) {
  const { words } = usePage()
  const { blockers, conditions, toDo, changes } = decision
  const checks = conditions.filter(({ code }) => !toDo.some(each => each.code === code))
  // What follows a rule that has ended was announced by nobody.
  const announced = isEnded ? [] : changes.filter(({ zone }) => zone === null)
  return (
    <>
      {[...blockers.slice(1), ...checks].map(each => (
        <p key={each.message} class="condition">
          <LinkedText text={sayNotice(words.locale, each)} />
        </p>
      ))}
      {announced.map(change => (
        <p key={change.on} class="warning">
          {sayChange(words, change)}
        </p>
      ))}
    </>
  )
}

/** What is not known and is not said in the card: it changes no outcome. */
function FurtherUnknowns({ decision }: { readonly decision: Decision }) {
  const { words } = usePage()
  const unsaid = decision.outcome === "blocked" ? decision.unknowns : listFurther(decision)
  const others = unsaid.filter(isWorthSaying)
  if (others.length === 0) return null
  const heading = words.say("trip.unknowns", { count: others.length })
  return (
    <Section title={heading} level={3}>
      <Gaps gaps={others} />
    </Section>
  )
}
