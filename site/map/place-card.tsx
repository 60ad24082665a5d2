/** What is known of the country that was chosen on the map, passport by passport, with links to the rest? */
import type { Found } from "landfall"
import type { MapAddress } from "../address.ts"
import { Flag } from "../controls/flag.tsx"
import { Icon } from "../controls/icon.tsx"
import { describeReading } from "../describe-reading.ts"
import { nameHolding } from "../holdings.ts"
import { usePage } from "../page-context.ts"
import type { Kind } from "../trip/kinds.ts"
import type { Paint } from "./colouring.ts"
import { describeCategory, nameAnswer } from "./describe-paint.ts"
import { Swatch } from "./hatching.tsx"

interface PlaceCardProps {
  readonly code: string
  readonly paint: Paint
  readonly chosen: MapAddress
  readonly onClose: () => void
}

export function PlaceCard({ code, paint, chosen, onClose }: PlaceCardProps) {
  const { words, go } = usePage()
  const { destination, on } = chosen
  return (
    <section class="card place-card" aria-label={words.country(code)}>
      <header>
        <h2>
          <Flag code={code} /> {words.country(code)}
        </h2>
        <button type="button" class="close" aria-label={words.say("map.close")} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {paint.answers.length === 0 && (
        <p class="note">{words.say(destination === null ? "map.choose_first" : "category.no_passport")}</p>
      )}
      {paint.by !== null && (
        <p class="eased">
          <Swatch category={paint.category} />{" "}
          <strong>{words.locale.label(nameHolding(words, paint.by), describeCategory(words, paint))}</strong>
        </p>
      )}
      <ul class="answers">
        {paint.answers.map(({ passport, answer }) => (
          <AnswerRow
            key={passport}
            passport={passport}
            destination={destination ?? code}
            answer={answer}
            kind={chosen.kind}
            on={on}
          />
        ))}
      </ul>
      {destination === null && (
        <button
          type="button"
          class="quiet"
          onClick={() => go({ ...chosen, passports: [], destination: code, at: null })}
        >
          {words.say("map.who_may_enter")}
        </button>
      )}
    </section>
  )
}

interface AnswerRowProps {
  readonly passport: string
  readonly destination: string
  readonly answer: Found | null
  readonly kind: Kind
  readonly on: string | null
}

function AnswerRow({ passport, destination, answer, kind, on }: AnswerRowProps) {
  const { words, linkTo } = usePage()
  return (
    <li>
      <Swatch category={answer === null ? "unknown" : answer.home ? "home" : answer.requirement} />
      <div>
        <p>
          <span class="who">{words.country(passport)}</span>
          <strong>{nameAnswer(words, answer)}</strong>
        </p>
        {answer === null ? (
          <p class="note">{words.say("category.unknown_why")}</p>
        ) : (
          <p class="note">
            {answer.uncertain && <em>{words.say("label.uncertain")}. </em>}
            {describeReading(words, answer)}
          </p>
        )}
        {answer !== null && (
          <a href={linkTo({ view: "pair", kind, passport, destination, on })}>{words.say("map.full_record")}</a>
        )}
      </div>
    </li>
  )
}
