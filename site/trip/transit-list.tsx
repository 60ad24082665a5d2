/** Where the traveller only changes, and whether he stays inside the international area of the airport there. */
import { CountryChips } from "../controls/country-chips.tsx"
import { Selection } from "../controls/selection.tsx"
import { usePage } from "../page-context.ts"
import { PLACES } from "../places.ts"
import { MOST, NO_TRANSIT, type TripTransit } from "./trip.ts"

interface TransitListProps {
  readonly transit: readonly TripTransit[]
  readonly onChange: (transit: readonly TripTransit[]) => void
}

const COUNTRIES = PLACES.map(({ code }) => code)
const AREAS = [
  ["", "trip.airside_any", null],
  ["airside", "trip.airside", true],
  ["landside", "trip.landside", false],
] as const

export function TransitList({ transit, onChange }: TransitListProps) {
  const { words } = usePage()
  const title = words.say("trip.transit")
  const prompt = words.say("trip.transit_add")
  return (
    <section class="transit" aria-label={title}>
      <h2>{title}</h2>
      <CountryChips
        label={title}
        prompts={[prompt, prompt]}
        codes={COUNTRIES}
        chosen={transit.map(({ country }) => country)}
        most={MOST.transit}
        onChange={codes =>
          onChange(
            codes.map(code => transit.find(({ country }) => country === code) ?? { ...NO_TRANSIT, country: code }),
          )
        }
      />
      {transit.map(({ country, airside }) => (
        <Selection
          key={country}
          label={words.country(country)}
          options={AREAS.map(([area, key]) => [area, words.say(key)] as const)}
          value={AREAS.find(([, , is]) => is === airside)?.[0] ?? ""}
          onChange={chosen =>
            onChange(
              transit.map(each =>
                each.country === country
                  ? { country, airside: AREAS.find(([area]) => area === chosen)?.[2] ?? null }
                  : each,
              ),
            )
          }
        />
      ))}
    </section>
  )
}
