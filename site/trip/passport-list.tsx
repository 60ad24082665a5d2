/** The traveller's passports, with the days of issue and expiry, where they are known, and their kind, where it is not the ordinary one. */
import { BRITISH_CLASSES } from "landfall"
import { useMemo, useState } from "preact/hooks"
import { pairsDataset } from "../answers.ts"
import { CountryPicker } from "../controls/country-picker.tsx"
import { DateField } from "../controls/date-field.tsx"
import { Flag } from "../controls/flag.tsx"
import { RemoveButton } from "../controls/remove-button.tsx"
import { Selection } from "../controls/selection.tsx"
import { usePage } from "../page-context.ts"
import { KINDS, MOST, NO_PASSPORT, type TripPassport } from "./trip.ts"

interface PassportListProps {
  readonly passports: readonly TripPassport[]
  readonly onChange: (passports: readonly TripPassport[]) => void
}

export function PassportList({ passports, onChange }: PassportListProps) {
  const { words } = usePage()
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
        {passports.map(({ passport, passportExpiry, passportIssued }, at) => (
          <li key={at} class="card passport">
            <p class="who">
              <Flag code={passport} /> {words.country(passport)}
            </p>
            <DateField
              label={words.say("trip.expiry")}
              value={passportExpiry}
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
              key={BRITISH_CLASSES.includes(passport) ? BRITISH : passport}
              {...{ passports, at }}
              onChange={change => replace(at, change)}
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
          onChoose={passport => onChange([...passports, { ...NO_PASSPORT, passport }])}
        />
      )}
    </section>
  )
}

const BRITISH = "GBR"

interface KindChoiceProps {
  readonly passports: readonly TripPassport[]
  readonly at: number
  readonly onChange: (change: Partial<TripPassport>) => void
}

/** The kind of a passport, folded away until it is asked for or given. Classes of British nationals other than citizens stand there too, though to the engine each is an issuer of its own. */
function KindChoice({ passports, at, onChange }: KindChoiceProps) {
  const { words } = usePage()
  const { passport = "", passportKind = "" } = passports[at] ?? {}
  const isOfClass = BRITISH_CLASSES.includes(passport)
  const [isOpen, setOpen] = useState(false)
  const isTaken = (code: string) => passports.some((held, place) => place !== at && held.passport === code)
  const issuers = passport === BRITISH || isOfClass ? [BRITISH, ...BRITISH_CLASSES].filter(code => !isTaken(code)) : []
  const classes = issuers.filter(code => code !== BRITISH)
  // A class has ordinary passports only; the kinds are those of a citizen.
  const kinds = isOfClass && !issuers.includes(BRITISH) ? [] : KINDS
  return (
    <details open={isOpen || isOfClass || passportKind !== ""} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>{words.say("trip.further")}</summary>
      <div class="fields">
        <Selection<string>
          label={words.say("passport.kind")}
          options={[...kinds, ...classes].map(name => [name, words.say(`passport.${name}`)] as const)}
          value={isOfClass ? passport : passportKind || "ordinary"}
          onChange={chosen => {
            const kind = KINDS.find(each => each === chosen)
            const issuer = isOfClass ? BRITISH : passport
            if (kind === undefined) onChange({ passport: chosen, passportKind: "" })
            else onChange({ passport: issuer, passportKind: kind === "ordinary" ? "" : kind })
          }}
        />
      </div>
    </details>
  )
}
