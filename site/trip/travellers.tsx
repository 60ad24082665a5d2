/** Who makes the trip, and what is the verdict on each of them? The form next to it is about the selected one. */
import { Choice } from "../controls/choice.tsx"
import type { Words } from "../language/words.ts"
import { usePage } from "../page-context.ts"
import type { Judgement } from "./judge-trip.ts"
import { OutcomeLine } from "./outcome.tsx"
import { listTravellers, MOST, type Trip } from "./trip.ts"

interface TravellersProps {
  readonly trip: Trip
  /** By traveller. */
  readonly judgements: readonly Judgement[]
  readonly chosen: number
  readonly onChoose: (at: number) => void
  readonly onAdd: () => void
  readonly onRemove: (at: number) => void
}

/** Names a traveller: "Person 2: India". */
export function nameTraveller(words: Words, trip: Trip, at: number): string {
  const passports = listTravellers(trip)[at]?.passports ?? []
  const name = words.say("where.person", { number: at + 1 })
  const countries = passports.map(({ passport }) => words.country(passport))
  return countries.length === 0 ? name : words.locale.label(name, words.locale.list(countries))
}

export function Travellers({ trip, judgements, chosen, onChoose, onAdd, onRemove }: TravellersProps) {
  const { words } = usePage()
  const count = judgements.length
  return (
    <section class="travellers" aria-label={words.say("trip.travellers")}>
      {count > 1 && (
        <>
          <Choice<string>
            label={words.say("trip.travellers")}
            options={judgements.map((_, at) => [String(at), nameTraveller(words, trip, at)] as const)}
            value={String(chosen)}
            onChange={at => onChoose(Number(at))}
          />
          <ul class="verdicts">
            {judgements.map(({ decision }, at) => (
              <li key={at}>
                <h3>
                  <span class="where">{nameTraveller(words, trip, at)}</span>{" "}
                  {decision === null ? words.say("trip.nothing_yet") : <OutcomeLine decision={decision} />}
                </h3>
              </li>
            ))}
          </ul>
        </>
      )}
      <div class="actions">
        {count < MOST.travellers && trip.passports.length > 0 && (
          <button type="button" class="button" onClick={onAdd}>
            {words.say("where.add")}
          </button>
        )}
        {count > 1 && (
          <button type="button" class="quiet" onClick={() => onRemove(chosen)}>
            {words.say("where.remove", { number: chosen + 1 })}
          </button>
        )}
      </div>
    </section>
  )
}
