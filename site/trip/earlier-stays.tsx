/** Where the traveller was before the trip: days that still count under a zone's rule, or under a country's own. */
import { dateOf, dayOf } from "../answers.ts"
import { CountryPicker } from "../controls/country-picker.tsx"
import { DateField } from "../controls/date-field.tsx"
import { Flag } from "../controls/flag.tsx"
import { RemoveButton } from "../controls/remove-button.tsx"
import { Selection } from "../controls/selection.tsx"
import { usePage } from "../page-context.ts"
import { PLACES } from "../places.ts"
import { readToday } from "../today.ts"
import { type EarlierStay, MOST, type Permit, type TripStop } from "./trip.ts"

interface EarlierStaysProps {
  readonly stays: readonly EarlierStay[]
  readonly stops: readonly TripStop[]
  /** Countries in which the traveller may live. */
  readonly homes: readonly string[]
  readonly onChange: (stays: readonly EarlierStay[]) => void
}

const DESTINATIONS = PLACES.map(({ code }) => code)
const DAYS_BEFORE = 30
const FIRST_LENGTH = 7

/** A week, a month before the trip begins; where the traveller has a permit to live there, as its holder. */
function newStay({ stops, homes }: Pick<EarlierStaysProps, "stops" | "homes">, destination: string): EarlierStay {
  const first = stops.find(({ from }) => from !== "")?.from ?? readToday()
  const from = dayOf(first) - DAYS_BEFORE
  return {
    destination,
    from: dateOf(from),
    to: dateOf(from + FIRST_LENGTH - 1),
    permit: homes.includes(destination) ? "residence" : "",
  }
}

export function EarlierStays({ stays, stops, homes, onChange }: EarlierStaysProps) {
  const { words } = usePage()
  return (
    <section class="earlier-stays" aria-label={words.say("trip.earlier_stays")}>
      <h2>{words.say("trip.earlier_stays")}</h2>
      <ul>
        {stays.map((stay, at) => {
          const { destination, from, to, permit } = stay
          const replace = (change: Partial<EarlierStay>) =>
            onChange(stays.map((other, place) => (place === at ? { ...other, ...change } : other)))
          return (
            <li key={at} class="card document">
              <p class="who">
                <Flag code={destination} /> {words.country(destination)}
              </p>
              <DateField label={words.say("trip.from")} value={from} onChange={date => replace({ from: date })} />
              <DateField label={words.say("trip.to")} value={to} min={from} onChange={date => replace({ to: date })} />
              <RemoveButton code={destination} onRemove={() => onChange(stays.filter((_, place) => place !== at))} />
              <Selection<Permit>
                label={words.say("trip.stay_as")}
                options={[
                  ["", words.say("trip.as_visitor")],
                  ["residence", words.say("held.residence_permit")],
                  ["national_visa", words.say("trip.as_long_visa")],
                ]}
                value={permit}
                onChange={chosen => replace({ permit: chosen })}
              />
            </li>
          )
        })}
      </ul>
      {stays.length < MOST.earlierStays && (
        <CountryPicker
          label={words.say("trip.earlier_stay_add")}
          isLabelHidden
          placeholder={words.say("trip.earlier_stay_add")}
          codes={DESTINATIONS}
          onChoose={destination => onChange([...stays, newStay({ stops, homes }, destination)])}
        />
      )}
    </section>
  )
}
