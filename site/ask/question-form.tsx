/** The question: who travels, where to, when and what for. Nothing is asked of the engine before the reader wants the answer. */

import { useState } from "preact/hooks"
import { type Address, addressOf } from "../address.ts"
import { pairsDataset, readToday } from "../answers.ts"
import { Button, DateField, IconButton, Selection } from "../controls/controls.tsx"
import { CountryChips } from "../controls/country-picker.tsx"
import { type Holding, isSameHolding, MOST_HOLDINGS, nameHolding, USUAL_HOLDINGS } from "../holdings.ts"
import type { Words } from "../language/words.ts"
import { usePage } from "../page-context.ts"
import { PasteField } from "../paste/paste-field.tsx"
import { CODES } from "../places.ts"
import { KindChoice } from "../trip/kind-choice.tsx"
import { holderOf, MOST as MOST_PLANNED, NO_TRAVELLER, NO_TRIP } from "../trip/trip.ts"
import {
  departureOf,
  groupBy,
  MOST,
  NO_QUESTION,
  NOBODY,
  type Person,
  PURPOSES,
  type Question,
  travellerOf,
  travellersOf,
  writeQuestion,
} from "./question.ts"

/** Names papers by passports and documents: "India, Visa: United States". */
const namePapers = (words: Words, { passports, held }: Person): string =>
  words.locale.list([...passports.map(words.country), ...held.map(each => nameHolding(words, each))])

/** Names a person by papers, after the name where one is given. */
export const namePerson = (words: Words, person: Person): string =>
  person.name === "" ? namePapers(words, person) : words.locale.label(person.name, namePapers(words, person))

/** Names a country; empty where there is none. */
const nameCountry = (words: Words, code: string): string => (code === "" ? "" : words.country(code))

const MOST_NAMES = 3

/** Names some of all the people: few by their names, those with the same papers by their number. */
export function namePeople(words: Words, some: readonly Person[], all: number): string {
  if (some.length === all && all > 1) return words.say("group.all")
  return groupBy(some, person => namePapers(words, person))
    .map(people => {
      const papers = namePapers(words, people[0])
      const names = people.flatMap(({ name }) => (name === "" ? [] : [name]))
      if (names.length === people.length && names.length <= MOST_NAMES) {
        return words.locale.label(words.locale.list(names), papers)
      }
      return people.length === 1 ? papers : `${words.number(people.length)} × ${papers}`
    })
    .join(" · ")
}

/** The trip of a question about several places. */
function planTrip(question: Question, places: readonly string[]): Address {
  const { from, until, purpose } = question
  const [first = NO_TRAVELLER, ...others] = travellersOf(question).slice(0, MOST_PLANNED.travellers).map(travellerOf)
  const stops = places.map((destination, at) => ({
    destination,
    from: at === 0 ? from : "",
    to: at === places.length - 1 ? until : "",
  }))
  return {
    view: "trip",
    trip: { ...NO_TRIP, ...first, others, stops, purpose: purpose === NO_QUESTION.purpose ? "" : purpose },
  }
}

/** The form of a question. */
function QuestionForm({ question }: { readonly question: Question }) {
  const { words, go } = usePage()
  const [draft, setDraft] = useState(question)
  const change = (part: Partial<Question>) => setDraft({ ...draft, ...part })
  const { people, to, leave, from, until, purpose } = draft
  // Several places are a trip, which asks for the days of each.
  const [further, setFurther] = useState<readonly string[]>([])
  const isTrip = to !== null && further.length > 0
  const replace = (at: number, person: Person) =>
    change({ people: people.map((other, place) => (place === at ? person : other)) })
  const isReady = travellersOf(draft).length > 0
  const home = departureOf({ ...draft, leave: "" }, people[0] ?? NOBODY)
  return (
    <form
      class="question"
      onSubmit={event => {
        event.preventDefault()
        if (isReady) go(isTrip ? planTrip(draft, [to, ...further]) : addressOf({ ...draft, unread: "" }))
      }}
    >
      {people.length > FEW && <PeopleTable people={people} onChange={changed => change({ people: changed })} />}
      {people.length <= FEW &&
        people.map((person, at) => (
          <PersonFields
            key={at}
            person={person}
            number={people.length === 1 ? null : at + 1}
            onChange={changed => replace(at, changed)}
            onRemove={() => change({ people: people.filter((_, place) => place !== at) })}
          />
        ))}
      <div class="question-fields">
        <CountryChips
          label={words.say("start.going")}
          isLabelShown
          prompts={[words.say("where.anywhere"), words.say("trip.stop_add")]}
          codes={CODES}
          chosen={to === null ? [] : [to, ...further]}
          most={MOST_PLANNED.stops}
          onChange={([code = null, ...others]) => {
            change({ to: code })
            setFurther(others)
          }}
        />
        <CountryChips
          label={words.say("start.leave")}
          isLabelShown
          prompts={[nameCountry(words, home) || words.say("trip.residence_add"), ""]}
          codes={CODES}
          chosen={leave === "" ? [] : [leave]}
          most={1}
          onChange={([code = ""]) => change({ leave: code === home ? "" : code })}
        />
        <DateField
          label={words.say("trip.from")}
          value={from}
          min={readToday()}
          onChange={date => change({ from: date, until: until < date ? "" : until })}
        />
        <DateField label={words.say("trip.to")} value={until} min={from} onChange={date => change({ until: date })} />
        <Selection
          label={words.say("trip.purpose")}
          options={PURPOSES.map(each => [each, words.say(`purpose.${each}`)] as const)}
          value={purpose}
          onChange={chosen => change({ purpose: chosen })}
        />
      </div>
      <div class="actions">
        <button type="submit" class="button main" disabled={!isReady}>
          {words.say("ask.show")}
        </button>
        {people.length < FEW && (
          <Button label={words.say("where.add")} onClick={() => change({ people: [...people, NOBODY] })} />
        )}
      </div>
      <PasteField
        label={words.say("paste.people")}
        example={`${words.country("IND")}; 2030-05-01; ${nameHolding(words, { kind: "visa", issuer: "USA" })}`}
        read={async (text, reading) => {
          const { readPeople } = await import("../paste/read-rows.ts")
          return readPeople(text, MOST.people - travellersOf(draft).length, reading)
        }}
        onRead={rows => change({ people: [...travellersOf(draft), ...rows] })}
      />
    </form>
  )
}

/** More people than these are a table. */
const FEW = 6

type PeopleTableProps = Pick<Question, "people"> & { readonly onChange: (people: Question["people"]) => void }

function PeopleTable({ people, onChange }: PeopleTableProps) {
  const { words } = usePage()
  return (
    <>
      <table class="people">
        <tbody>
          {people.map((person, at) => (
            <tr key={at}>
              <th scope="row">{words.number(at + 1)}</th>
              <td>{namePerson(words, person)}</td>
              <td>
                {person.expiry !== "" && words.locale.label(words.say("trip.expiry"), words.shortDate(person.expiry))}
              </td>
              <td>
                <IconButton
                  icon="close"
                  look="close"
                  label={words.say("where.remove", { number: at + 1 })}
                  onClick={() => onChange(people.filter((_, place) => place !== at))}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Button look="quiet" label={words.say("trip.clear")} onClick={() => onChange([NOBODY])} />
    </>
  )
}

interface PersonFieldsProps {
  readonly person: Person
  /** Null for somebody who travels alone. */
  readonly number: number | null
  readonly onChange: (person: Person) => void
  readonly onRemove: () => void
}

function PersonFields({ person, number, onChange, onRemove }: PersonFieldsProps) {
  const { words } = usePage()
  const { passports, kind, held, expiry, live } = person
  const [passport = ""] = passports
  const isFilled = held.length > 0 || expiry !== "" || kind !== ""
  return (
    <fieldset class="person">
      <legend class={number === null ? "unseen" : undefined}>
        {words.say("where.person", { number: number ?? 1 })}
      </legend>
      <CountryChips
        label={words.say("start.hold")}
        isLabelShown
        prompts={[words.say("map.first_passport"), words.say("map.further_passport")]}
        codes={pairsDataset().passports}
        chosen={passports}
        most={MOST.passports}
        onChange={chosen => onChange({ ...person, passports: chosen, kind: chosen.length === 1 ? kind : "" })}
      />
      <CountryChips
        label={words.say("start.live")}
        isLabelShown
        prompts={[nameCountry(words, passport) || words.say("trip.residence_add"), ""]}
        codes={CODES}
        chosen={live === "" ? [] : [live]}
        most={1}
        onChange={([code = ""]) => onChange({ ...person, live: code === passport ? "" : code })}
      />
      <details open={isFilled}>
        <summary>{words.say("where.documents")}</summary>
        <HeldDocuments held={held} onChange={chosen => onChange({ ...person, held: chosen })} />
        <div class="question-fields">
          <DateField
            label={words.say("trip.expiry")}
            value={expiry}
            onChange={date => onChange({ ...person, expiry: date })}
          />
          {passports.length === 1 && (
            <KindChoice
              key={holderOf(passport)}
              {...{ passport, kind }}
              onChange={(code, of) => onChange({ ...person, passports: [code], kind: of })}
            />
          )}
        </div>
      </details>
      {number !== null && <Button look="quiet" label={words.say("where.remove", { number })} onClick={onRemove} />}
    </fieldset>
  )
}

/** The whole form, drawn anew for another question. */
export function Ask({ question }: { readonly question: Question }) {
  return <QuestionForm key={JSON.stringify(writeQuestion(question))} question={question} />
}

/** The question in one line above its answer, which opens to be changed. */
export function QuestionBar({ question }: { readonly question: Question }) {
  const { words } = usePage()
  const { to, leave, from, until, purpose, unread } = question
  const people = travellersOf(question)
  const said = [
    to === null ? words.say("where.anywhere") : words.country(to),
    from === "" ? words.say("day.today", { date: { on: readToday() } }) : words.date(from),
    ...(until === "" ? [] : [words.date(until)]),
    words.say(`purpose.${purpose}`),
    ...(leave === "" ? [] : [words.locale.label(words.say("start.leave"), words.country(leave))]),
  ]
  return (
    <>
      {unread !== "" && (
        <p class="warning" role="status">
          {words.say("question.unread", { text: unread })}
        </p>
      )}
      <details key={JSON.stringify(writeQuestion(question))} class="question-bar card">
        <summary>
          <span>
            <strong>{said.join(" · ")}</strong>
            <span class="note">{namePeople(words, people, Number.POSITIVE_INFINITY)}</span>
          </span>
          <span class="change">{words.say("ask.change")}</span>
        </summary>
        <Ask question={question} />
      </details>
    </>
  )
}

interface HeldDocumentsProps {
  readonly held: readonly Holding[]
  readonly onChange: (held: readonly Holding[]) => void
}

/** The documents of other countries that the traveller holds: pressed, they recolour the map, because other countries may ask for less. */
function HeldDocuments({ held, onChange }: HeldDocumentsProps) {
  const { words } = usePage()
  const isHeld = (document: Holding) => held.some(other => isSameHolding(other, document))
  const further = held.filter(document => !USUAL_HOLDINGS.some(usual => isSameHolding(usual, document)))
  return (
    <fieldset class="held-documents">
      <legend>{words.say("holding.title")}</legend>
      <div class="toggles">
        {[...USUAL_HOLDINGS, ...further].map(document => (
          <button
            key={`${document.kind} ${document.issuer}`}
            type="button"
            class="toggle"
            aria-pressed={isHeld(document)}
            disabled={!isHeld(document) && held.length >= MOST_HOLDINGS}
            onClick={() =>
              onChange(isHeld(document) ? held.filter(other => !isSameHolding(other, document)) : [...held, document])
            }
          >
            {nameHolding(words, document)}
          </button>
        ))}
      </div>
      {held.length > 0 && <p class="note">{words.say("holding.assumed")}</p>}
    </fieldset>
  )
}
