/** Where the traveller was before the trip: a table of stays, typed or pasted, whose days still count under a zone's rule, or under a country's own. */
import { dateOf, dayOf } from "../answers.ts"
import { CountryPicker } from "../controls/country-picker.tsx"
import { DateField } from "../controls/date-field.tsx"
import { Icon } from "../controls/icon.tsx"
import { Selection } from "../controls/selection.tsx"
import { usePage } from "../page-context.ts"
import { PasteField } from "../paste/paste-field.tsx"
import { readStays } from "../paste/read-rows.ts"
import { PLACES } from "../places.ts"
import { readToday } from "../today.ts"
import { type EarlierStay, MOST, NO_STAY, type Permit, type TripStop } from "./trip.ts"
import { isCounted } from "./zone-days.ts"

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

/** A week, a month before the trip begins. */
function newStay(stops: readonly TripStop[], destination: string): EarlierStay {
  const first = stops.find(({ from }) => from !== "")?.from ?? readToday()
  const from = dayOf(first) - DAYS_BEFORE
  return { ...NO_STAY, destination, from: dateOf(from), to: dateOf(from + FIRST_LENGTH - 1) }
}

export function EarlierStays({ stays, stops, homes, onChange }: EarlierStaysProps) {
  const { words } = usePage()
  // Where the traveller has a permit to live, he was as its holder.
  const add = (further: readonly EarlierStay[]) =>
    onChange([
      ...stays,
      ...further.map(stay => (homes.includes(stay.destination) ? { ...stay, permit: "residence" as const } : stay)),
    ])
  const heads = ["word.destination", "trip.from", "trip.to", "trip.stay_as"] as const
  return (
    <section class="earlier-stays" aria-label={words.say("trip.earlier_stays")}>
      <h2>{words.say("trip.earlier_stays")}</h2>
      {stays.length > 0 && (
        <table class="stays">
          <thead>
            <tr>
              {heads.map(key => (
                <th key={key} scope="col">
                  {words.say(key)}
                </th>
              ))}
              <td />
            </tr>
          </thead>
          <tbody>
            {stays.map((stay, at) => (
              <StayRow
                key={at}
                stay={stay}
                number={at + 1}
                onChange={change =>
                  onChange(stays.map((other, place) => (place === at ? { ...other, ...change } : other)))
                }
                onRemove={() => onChange(stays.filter((_, place) => place !== at))}
              />
            ))}
          </tbody>
        </table>
      )}
      {stays.length < MOST.earlierStays && (
        <>
          <CountryPicker
            label={words.say("trip.earlier_stay_add")}
            isLabelHidden
            placeholder={words.say("trip.earlier_stay_add")}
            codes={DESTINATIONS}
            onChoose={destination => add([newStay(stops, destination)])}
          />
          <PasteField
            label={words.say("paste.stays")}
            example={`${words.country("ESP")} 2026-03-01 2026-03-14`}
            read={async (text, reading) => readStays(text, MOST.earlierStays - stays.length, reading)}
            onRead={add}
          />
        </>
      )}
    </section>
  )
}

interface StayRowProps {
  readonly stay: EarlierStay
  readonly number: number
  readonly onChange: (change: Partial<EarlierStay>) => void
  readonly onRemove: () => void
}

function StayRow({ stay, number, onChange, onRemove }: StayRowProps) {
  const { words } = usePage()
  const { destination, permit } = stay
  return (
    <>
      <tr>
        <td>
          <CountryPicker
            label={words.say("word.destination")}
            isLabelHidden
            value={destination}
            codes={DESTINATIONS}
            onChoose={code => onChange({ destination: code })}
          />
        </td>
        {(["from", "to"] as const).map(name => (
          <td key={name}>
            <DateField
              label={words.say(`trip.${name}`)}
              isLabelHidden
              value={stay[name]}
              onChange={date => onChange({ [name]: date })}
            />
          </td>
        ))}
        <td>
          <Selection<Permit>
            label={words.say("trip.stay_as")}
            isLabelHidden
            options={[
              ["", words.say("trip.as_visitor")],
              ["residence", words.say("held.residence_permit")],
              ["national_visa", words.say("trip.as_long_visa")],
            ]}
            value={permit}
            onChange={chosen => onChange({ permit: chosen })}
          />
        </td>
        <td>
          <button type="button" class="close" aria-label={words.say("counter.remove", { number })} onClick={onRemove}>
            <Icon name="close" />
          </button>
        </td>
      </tr>
      {!isCounted(stay) && (
        <tr>
          <td colSpan={5} class="bad-line" role="status">
            {words.say("counter.not_counted")}
          </td>
        </tr>
      )}
    </>
  )
}
