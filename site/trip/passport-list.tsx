/** The traveller's passports, with the days of issue and expiry, where they are known, and their kind, where it is not the ordinary one. */
import { useMemo, useState } from "preact/hooks"
import { pairsDataset } from "../answers.ts"
import { CountryPicker } from "../controls/country-picker.tsx"
import { DateField } from "../controls/date-field.tsx"
import { Flag } from "../controls/flag.tsx"
import { RemoveButton } from "../controls/remove-button.tsx"
import { usePage } from "../page-context.ts"
import { KindChoice } from "./kind-choice.tsx"
import { holderOf } from "./kinds.ts"
import { MOST, NO_PASSPORT, type TripPassport } from "./trip.ts"

interface PassportListProps {
  readonly passports: readonly TripPassport[]
  readonly onChange: (passports: readonly TripPassport[]) => void
}

export function PassportList({ passports, onChange }: PassportListProps) {
  const { words } = usePage()
  // The day on which a passport ends decides, so it is asked for next.
  const [added, setAdded] = useState<string | null>(null)
  const left = useMemo(
    () => pairsDataset().passports.filter(code => !passports.some(({ passport }) => passport === code)),
    [passports],
  )
  const replace = (at: number, change: Partial<TripPassport>) =>
    onChange(passports.map((held, place) => (place === at ? { ...held, ...change } : held)))
  return (
    <section class="passports" aria-label={words.say("trip.passports")}>
      <h2>{words.say("trip.passports")}</h2>
      <ul>
        {passports.map(({ passport, passportExpiry, passportIssued, passportKind }, at) => (
          <li key={at} class="card passport">
            <p class="who">
              <Flag code={passport} /> {words.country(passport)}
            </p>
            <DateField
              label={words.say("trip.expiry")}
              value={passportExpiry}
              isAsked={passport === added}
              onChange={date => replace(at, { passportExpiry: date })}
            />
            <DateField
              label={words.say("trip.issued")}
              value={passportIssued}
              onChange={date => replace(at, { passportIssued: date })}
            />
            <RemoveButton
              code={passport}
              onRemove={() => onChange(passports.filter(held => held.passport !== passport))}
            />
            <KindChoice
              key={holderOf(passport)}
              {...{ passport, kind: passportKind }}
              taken={passports.flatMap((held, place) => (place === at ? [] : [held.passport]))}
              onChange={(code, kind) => replace(at, { passport: code, passportKind: kind })}
            />
          </li>
        ))}
      </ul>
      {passports.length < MOST.passports && (
        <CountryPicker
          label={words.say("trip.passport_add")}
          isLabelHidden={passports.length > 0}
          placeholder={words.say(passports.length === 0 ? "map.first_passport" : "map.further_passport")}
          codes={left}
          onChoose={passport => {
            setAdded(passport)
            onChange([...passports, { ...NO_PASSPORT, passport }])
          }}
        />
      )}
    </section>
  )
}
