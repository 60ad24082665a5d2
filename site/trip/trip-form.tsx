/** What a reader fills in of the people of a trip: who travels, their passports and documents, where they change planes, and where they were before. */

import type { GivenPassport, GivenTransit, HeldDocument, Stay } from "landfall"
import { listDocumentClasses } from "landfall/full"
import { useId, useMemo, useState } from "preact/hooks"
import { dateOf, dayOf, pairsDataset, readToday } from "../answers.ts"
import { Button, Choice, DateField, Flag, IconButton, RemoveButton, Section, Selection } from "../controls/controls.tsx"
import { CountryChips, CountryPicker } from "../controls/country-picker.tsx"
import type { Words } from "../language/words.ts"
import { usePage } from "../page-context.ts"
import { PasteField } from "../paste/paste-field.tsx"
import { readStays } from "../paste/read-rows.ts"
import { CODES } from "../places.ts"
import { nameHeldKind } from "../verdict/verdict.tsx"
import { wholeDataset } from "../whole-dataset.ts"
import type { Judgement } from "./judge-trip.ts"
import { KindChoice } from "./kind-choice.tsx"
import { OutcomeLine } from "./outcome.tsx"
import { HELD_KINDS, holderOf, listTravellers, MOST, type Trip, type TripStop } from "./trip.ts"
import { isCounted } from "./zones.tsx"

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

/** Who makes the trip, and what is the verdict on each of them? The form next to it is about the selected one. */
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
          <Button label={words.say("where.add")} onClick={onAdd} />
        )}
        {count > 1 && (
          <Button
            look="quiet"
            label={words.say("where.remove", { number: chosen + 1 })}
            onClick={() => onRemove(chosen)}
          />
        )}
      </div>
    </section>
  )
}

interface ListProps<Of> {
  readonly list: readonly Of[]
  readonly onChange: (list: readonly Of[]) => void
}

/** The ways to change one entry of a list. */
const entriesOf = <Of,>({ list, onChange }: ListProps<Of>) => ({
  replace: (at: number, change: Partial<Of>) =>
    onChange(list.map((other, place) => (place === at ? { ...other, ...change } : other))),
  remove: (at: number) => onChange(list.filter((_, place) => place !== at)),
})

/** The traveller's passports, with the days of issue and expiry, where they are known, and their kind, where it is not the ordinary one. */
export function PassportList({ list: passports, onChange }: ListProps<GivenPassport>) {
  const { words } = usePage()
  // The day on which a passport ends decides, so it is asked for next.
  const [added, setAdded] = useState<string | null>(null)
  const left = useMemo(
    () => pairsDataset().passports.filter(code => !passports.some(({ passport }) => passport === code)),
    [passports],
  )
  const { replace, remove } = entriesOf({ list: passports, onChange })
  return (
    <Section class="passports" title={words.say("trip.passports")}>
      <ul>
        {passports.map(({ passport, passportExpiry, passportIssued, passportKind }, at) => (
          <li key={at} class="card passport">
            <p class="who">
              <Flag code={passport} /> {words.country(passport)}
            </p>
            <DateField
              label={words.say("trip.expiry")}
              value={passportExpiry ?? ""}
              isAsked={passport === added}
              onChange={date => replace(at, { passportExpiry: date || undefined })}
            />
            <DateField
              label={words.say("trip.issued")}
              value={passportIssued ?? ""}
              onChange={date => replace(at, { passportIssued: date || undefined })}
            />
            <RemoveButton code={passport} onRemove={() => remove(at)} />
            <KindChoice
              key={holderOf(passport)}
              {...{ passport, kind: passportKind ?? "" }}
              taken={passports.flatMap((held, place) => (place === at ? [] : [held.passport]))}
              onChange={(code, kind) => replace(at, { passport: code, passportKind: kind || undefined })}
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
            onChange([...passports, { passport }])
          }}
        />
      )}
    </Section>
  )
}

interface DocumentListProps extends ListProps<HeldDocument> {
  /** Who issued the document whose last day is asked for next. */
  readonly asked: string | null
  readonly onAsk: (issuer: string) => void
}

/** The visas and residence permits that the traveller holds: other countries may ask for less because of them. */
export function DocumentList({ list: held, asked, onAsk, onChange }: DocumentListProps) {
  const { words } = usePage()
  const { replace, remove } = entriesOf({ list: held, onChange })
  return (
    <Section class="documents" title={words.say("trip.held")}>
      <ul>
        {held.map((document, at) => (
          <DocumentCard
            key={at}
            document={document}
            isAsked={document.issuer === asked}
            onChange={change => replace(at, change)}
            onRemove={() => remove(at)}
          />
        ))}
      </ul>
      {held.length < MOST.held && (
        <CountryPicker
          label={words.say("trip.held_add")}
          isLabelHidden
          placeholder={words.say("trip.held_add")}
          codes={CODES}
          onChoose={issuer => {
            onAsk(issuer)
            onChange([...held, { kind: "visa", issuer }])
          }}
        />
      )}
    </Section>
  )
}

interface DocumentCardProps {
  readonly document: HeldDocument
  readonly isAsked: boolean
  readonly onChange: (change: Partial<HeldDocument>) => void
  readonly onRemove: () => void
}

function DocumentCard({ document, isAsked, onChange: change, onRemove }: DocumentCardProps) {
  const { words } = usePage()
  const { kind, issuer, type, validFrom, validUntil, entries } = document
  const classes = listDocumentClasses(wholeDataset(), kind, issuer)
  const listId = useId()
  const counts = [1, 2, ...(typeof entries === "number" && entries > 2 ? [entries] : [])]
  // A class of a known form says itself whether it is electronic.
  const isFormKnown = classes.length > 0 && classes.every(({ form }) => form !== null)
  const flags = [
    ["used", "held.used_before"],
    ...(isFormKnown ? [] : ([["electronic", "trip.electronic"]] as const)),
    ...(kind === "residence_permit" ? ([["permanent", "held.permanent"]] as const) : []),
  ] as const
  return (
    <li class="card document">
      <p class="who">
        <Flag code={issuer} /> {words.country(issuer)}
      </p>
      <Selection<HeldDocument["kind"]>
        label={words.say("trip.kind")}
        options={HELD_KINDS.map(each => [each, nameHeldKind(words, each)] as const)}
        value={kind}
        onChange={chosen => change({ kind: chosen, permanent: undefined })}
      />
      <DateField
        label={words.say("trip.expiry")}
        value={validUntil ?? ""}
        isAsked={isAsked}
        onChange={date => change({ validUntil: date === "" ? undefined : date })}
      />
      <RemoveButton code={issuer} onRemove={onRemove} />
      {validUntil === undefined && document.permanent !== true && (
        <p class="note asked">{words.say("trip.ask_until")}</p>
      )}
      <details>
        <summary>{words.say("trip.further")}</summary>
        <div class="fields">
          <DateField
            label={words.say("trip.valid_from")}
            value={validFrom ?? ""}
            onChange={date => change({ validFrom: date === "" ? undefined : date })}
          />
          <label>
            <span>{words.say("trip.type")}</span>
            <input
              type="text"
              list={listId}
              maxLength={MOST.typeLetters}
              value={type ?? ""}
              onInput={event => {
                const text = event.currentTarget.value
                change({ type: text.trim() === "" ? undefined : text })
              }}
            />
          </label>
          <datalist id={listId}>
            {classes
              .flatMap(({ types }) => types)
              .map(each => (
                <option key={each} value={each} />
              ))}
          </datalist>
          <Selection
            label={words.say("trip.entries")}
            options={[
              ["", words.say("trip.not_given")],
              ...counts.map(count => [String(count), words.number(count)] as const),
              ["multiple", words.say("held.multiple_entry")],
            ]}
            value={entries === undefined ? "" : String(entries)}
            onChange={chosen =>
              change({ entries: chosen === "" ? undefined : chosen === "multiple" ? chosen : Number(chosen) })
            }
          />
          <label>
            <span>{words.say("trip.stay_days")}</span>
            <input
              type="number"
              inputMode="numeric"
              min={1}
              max={MOST.count}
              step={1}
              value={document.durationOfStayDays ?? ""}
              onInput={event => {
                const typed = event.currentTarget.valueAsNumber
                const isCount = Number.isInteger(typed) && typed >= 1 && typed <= MOST.count
                change({ durationOfStayDays: isCount ? typed : undefined })
              }}
            />
          </label>
          {flags.map(([name, label]) => (
            <Selection
              key={name}
              label={words.say(label)}
              options={[
                ["", words.say("trip.not_given")],
                ["yes", words.say("label.yes")],
                ["no", words.say("label.no")],
              ]}
              value={document[name] === undefined ? "" : document[name] ? "yes" : "no"}
              onChange={chosen => change({ [name]: chosen === "" ? undefined : chosen === "yes" })}
            />
          ))}
        </div>
      </details>
    </li>
  )
}

/** Where the traveller only changes, and whether he stays inside the international area of the airport there. */
export function TransitList({ list: transit, onChange }: ListProps<GivenTransit>) {
  const { words } = usePage()
  const title = words.say("trip.transit")
  const prompt = words.say("trip.transit_add")
  return (
    <Section class="transit" title={title}>
      <CountryChips
        label={title}
        prompts={[prompt, prompt]}
        codes={CODES}
        chosen={transit.map(({ country }) => country)}
        most={MOST.transit}
        onChange={codes =>
          onChange(codes.map(code => transit.find(({ country }) => country === code) ?? { country: code }))
        }
      />
      {transit.map(({ country, airside }) => (
        <Selection
          key={country}
          label={words.country(country)}
          options={(["airside_any", "airside", "landside"] as const).map(
            area => [area, words.say(`trip.${area}`)] as const,
          )}
          value={airside == null ? "airside_any" : airside ? "airside" : "landside"}
          onChange={chosen => {
            const changed = chosen === "airside_any" ? { country } : { country, airside: chosen === "airside" }
            onChange(transit.map(each => (each.country === country ? changed : each)))
          }}
        />
      ))}
    </Section>
  )
}

interface EarlierStaysProps extends ListProps<Stay> {
  readonly stops: readonly TripStop[]
  /** Countries in which the traveller may live. */
  readonly homes: readonly string[]
}

const DAYS_BEFORE = 30
const FIRST_LENGTH = 7

/** A week, a month before the trip begins. */
function newStay(stops: readonly TripStop[], destination: string): Stay {
  const first = stops.find(({ from }) => from !== "")?.from ?? readToday()
  const from = dayOf(first) - DAYS_BEFORE
  return { destination, from: dateOf(from), to: dateOf(from + FIRST_LENGTH - 1) }
}

/** Where the traveller was before the trip: a table of stays, typed or pasted, whose days still count under a zone's rule, or under a country's own. */
export function EarlierStays({ list: stays, stops, homes, onChange }: EarlierStaysProps) {
  const { words } = usePage()
  const { replace, remove } = entriesOf({ list: stays, onChange })
  // Where the traveller has a permit to live, he was as its holder.
  const add = (further: readonly Stay[]) =>
    onChange([
      ...stays,
      ...further.map(stay => (homes.includes(stay.destination) ? { ...stay, permit: "residence" as const } : stay)),
    ])
  const heads = ["word.destination", "trip.from", "trip.to", "trip.stay_as"] as const
  return (
    <Section class="earlier-stays" title={words.say("trip.earlier_stays")}>
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
                onChange={change => replace(at, change)}
                onRemove={() => remove(at)}
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
            codes={CODES}
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
    </Section>
  )
}

interface StayRowProps {
  readonly stay: Stay
  readonly number: number
  readonly onChange: (change: Partial<Stay>) => void
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
            codes={CODES}
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
          <Selection
            label={words.say("trip.stay_as")}
            isLabelHidden
            options={[
              ["", words.say("trip.as_visitor")],
              ["residence", words.say("held.residence_permit")],
              ["national_visa", words.say("trip.as_long_visa")],
            ]}
            value={permit ?? ""}
            onChange={chosen => onChange({ permit: chosen || undefined })}
          />
        </td>
        <td>
          <IconButton icon="close" look="close" label={words.say("counter.remove", { number })} onClick={onRemove} />
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
