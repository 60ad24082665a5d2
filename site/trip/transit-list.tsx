/** Where the traveller only changes, and whether he stays inside the international area of the airport there. */
import { CountryChips } from "../controls/country-chips.tsx"
import { Selection } from "../controls/selection.tsx"
import { usePage } from "../page-context.ts"
import { PLACES } from "../places.ts"
import { AREAS, areaOf, MOST, NO_TRANSIT, nameArea, type TripTransit } from "./trip.ts"

interface TransitListProps {
  readonly transit: readonly TripTransit[]
  readonly onChange: (transit: readonly TripTransit[]) => void
}

const COUNTRIES = PLACES.map(({ code }) => code)

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
          options={AREAS.map(area => [area, words.say(area === "" ? "trip.airside_any" : `trip.${area}`)] as const)}
          value={nameArea(airside)}
          onChange={chosen =>
            onChange(transit.map(each => (each.country === country ? { country, airside: areaOf(chosen) } : each)))
          }
        />
      ))}
    </section>
  )
}
