/** The requirement for a passport of another kind than the ordinary one, by the engine's rules for the kind; rules for ordinary passports do not apply. */
import type { PairAddress } from "../address.ts"
import { decideVisit } from "../answer-kinds.ts"
import { describeReading } from "../describe-reading.ts"
import { nameAnswer } from "../map/describe-paint.ts"
import { Swatch } from "../map/hatching.tsx"
import { usePage } from "../page-context.ts"
import { Conditions } from "../trip/outcome.tsx"
import { wholeViewOn } from "../whole-dataset.ts"
import { Source } from "./linked-text.tsx"

export function KindPair({ address: { passport, destination, kind, on } }: { readonly address: PairAddress }) {
  const { words } = usePage()
  const decision = decideVisit(passport, kind, destination, on)
  const requirement = decision?.steps[0]?.requirement
  const answer = requirement?.status === "known" ? requirement.answer : null
  return (
    <section class="verdict" aria-label={words.say("label.requirement")}>
      <p class="headline">
        <Swatch category={answer === null ? "unknown" : answer.home ? "home" : answer.requirement} />
        <strong>{nameAnswer(words, answer)}</strong>
      </p>
      {answer === null ? (
        <p class="description">{words.say("issue.passport_kind_not_recorded")}</p>
      ) : (
        <p class="note">
          {describeReading(words, answer, wholeViewOn(on))}
          {answer.source !== null && <Source name={answer.source.name} url={answer.source.url} day={null} />}
        </p>
      )}
      {decision !== null && <Conditions decision={decision} toDo={decision.toDo} />}
      <p class="note">{words.say("trip.no_permission")}</p>
    </section>
  )
}
