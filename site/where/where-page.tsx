/**
 * Where can we go? Passports and documents of several people, a day, a number of days and conditions lead to a list of places, each with
 * the requirements of everybody. Every choice is in the address, and the page decides.
 */
import { sayNotice } from "landfall/full"
import { useMemo } from "preact/hooks"
import { dateOf, dayOf, pairsDataset, viewOn } from "../answers.ts"
import { Choice } from "../controls/choice.tsx"
import { CountryChips } from "../controls/country-chips.tsx"
import { DateField } from "../controls/date-field.tsx"
import { Selection } from "../controls/selection.tsx"
import { Title } from "../controls/title.tsx"
import { nameHolding } from "../holdings.ts"
import type { Words } from "../language/words.ts"
import { beyond, LeftOut, lineOnPaper } from "../left-out.tsx"
import { Swatch } from "../map/hatching.tsx"
import { HeldDocuments } from "../map/held-documents.tsx"
import { StillMap } from "../map/still-map.tsx"
import { usePage } from "../page-context.ts"
import { readToday } from "../today.ts"
import { NO_PASSPORT, NO_TRAVELLER, NO_TRIP } from "../trip/trip.ts"
import { wholeViewOn } from "../whole-dataset.ts"
import { type FoundPlace, findPlaces, type Need } from "./find-places.ts"
import { REGION_CODES } from "./region-codes.ts"
import { EFFORTS, MOST, NOBODY, type Person, readRegion, type Search, writeSearchAddress } from "./search.ts"

/** The first day of the next month. */
function nextMonth(): string {
  const [year = 0, month = 0] = readToday().split("-").map(Number)
  return month === 12 ? `${year + 1}-01-01` : `${year}-${String(month + 1).padStart(2, "0")}-01`
}

export function WherePage({ address }: { readonly address: { readonly search: Search } }) {
  const { words, go, linkTo } = usePage()
  const search = { ...address.search, from: address.search.from === "" ? nextMonth() : address.search.from }
  const change = (part: Partial<Search>) =>
    go({ view: "where", search: { ...address.search, ...part } }, { replace: true })
  const dataset = wholeViewOn(null)
  const { people, from, days, effort, region } = search
  const isReady = people.every(({ passports }) => passports.length > 0)
  const asked = JSON.stringify(writeSearchAddress(search))
  const found = useMemo(() => (isReady ? findPlaces(dataset, search) : null), [dataset, asked, isReady])
  const regions = useMemo(() => listRegions(words), [words])
  const fitting = useMemo(() => found?.fitting.map(place => sayPlace(words, place)) ?? [], [words, found])
  const printed = countPrinted(fitting)
  const replace = (at: number, person: Person) =>
    change({ people: people.map((other, place) => (place === at ? person : other)) })
  return (
    <div class="where-page">
      <header>
        <Title text={words.say("where.title")} />
        <p class="lead">{words.say("where.lead")}</p>
      </header>
      <Question search={search} />
      <div class="where-form">
        {people.map((person, at) => (
          <PersonCard
            key={at}
            person={person}
            number={at + 1}
            onChange={changed => replace(at, changed)}
            onRemove={people.length === 1 ? null : () => change({ people: people.filter((_, place) => place !== at) })}
          />
        ))}
        {people.length < MOST.people && (
          <button type="button" class="button" onClick={() => change({ people: [...people, NOBODY] })}>
            {words.say("where.add")}
          </button>
        )}
        <div class="where-fields">
          <DateField
            label={words.say("trip.from")}
            value={from}
            onChange={date => date !== "" && change({ from: date })}
          />
          <label>
            <span>{words.say("where.days")}</span>
            <input
              type="number"
              inputMode="numeric"
              min={1}
              max={MOST.days}
              value={days}
              onInput={event => {
                const typed = event.currentTarget.valueAsNumber
                if (Number.isInteger(typed) && typed >= 1 && typed <= MOST.days) change({ days: typed })
              }}
            />
          </label>
          <Selection
            label={words.say("where.region")}
            options={[["", words.say("where.anywhere")], ...regions]}
            value={region ?? ""}
            onChange={chosen => change({ region: readRegion(chosen) })}
          />
        </div>
        <Choice
          label={words.say("where.effort")}
          options={EFFORTS.map(each => [each, words.say(`where.effort_${each}`)] as const)}
          value={effort}
          onChange={chosen => change({ effort: chosen })}
        />
      </div>
      {found === null ? (
        <p class="note">{words.say("where.choose")}</p>
      ) : (
        <>
          <section class="where-found" aria-label={words.say("where.places")}>
            <h2 aria-live="polite">{words.say("where.found", { count: found.fitting.length })}</h2>
            <p class="note">{words.say("day.known", { date: { on: pairsDataset().asOf } })}</p>
            <FoundMap places={found.fitting} />
            <ol class="where-list">
              {fitting.map((said, at) => (
                <PlaceRow key={said.place.code} {...{ said, people, from, days }} on={lineOnPaper(at, printed)} />
              ))}
            </ol>
            <LeftOut
              lists={[[words.say("where.places"), beyond(fitting, printed)]]}
              link={linkTo({ view: "where", search })}
            />
          </section>
          {found.others.length > 0 && (
            <details class="where-others">
              <summary>{words.say("where.others", { count: found.others.length })}</summary>
              <ul class="where-list">
                {found.others.map(place => (
                  <PlaceRow key={place.code} said={sayPlace(words, place)} {...{ people, from, days }} />
                ))}
              </ul>
            </details>
          )}
        </>
      )}
    </div>
  )
}

/** The sub-regions by their names in the reader's language. */
function listRegions(words: Words): readonly (readonly [code: string, name: string])[] {
  return Object.values(REGION_CODES)
    .map(code => [code, words.say(`region.${code}`)] as const)
    .sort(([, one], [, other]) => words.compare(one, other))
}

interface PersonCardProps {
  readonly person: Person
  readonly number: number
  readonly onChange: (person: Person) => void
  readonly onRemove: (() => void) | null
}

function PersonCard({ person, number, onChange, onRemove }: PersonCardProps) {
  const { words } = usePage()
  const { passports, held, expiry } = person
  const name = words.say("where.person", { number })
  return (
    <section class="card person" aria-label={name}>
      <header>
        <h2>{name}</h2>
        {onRemove !== null && (
          <button type="button" class="quiet" onClick={onRemove}>
            {words.say("where.remove", { number })}
          </button>
        )}
      </header>
      <CountryChips
        label={words.locale.label(name, words.say("word.passports"))}
        prompts={[words.say("map.first_passport"), words.say("map.further_passport")]}
        codes={viewOn(null).passports}
        chosen={passports}
        most={MOST.passports}
        onChange={chosen => onChange({ ...person, passports: chosen })}
      />
      <details open={held.length > 0 || expiry !== ""}>
        <summary>{words.say("where.documents")}</summary>
        <HeldDocuments held={held} onChange={chosen => onChange({ ...person, held: chosen })} />
        <DateField
          label={words.say("trip.expiry")}
          value={expiry}
          onChange={date => onChange({ ...person, expiry: date })}
        />
      </details>
    </section>
  )
}

/** The places on a map, by the hardest requirement of any person. */
function FoundMap({ places }: { readonly places: readonly FoundPlace[] }) {
  const asked = new Map(places.map(({ code, requirement }) => [code, requirement]))
  return <StillMap classOf={code => `tint ${asked.get(code) ?? "plain"}`} hasDot={code => asked.has(code)} />
}

/** What was asked, on paper in place of the form. */
function Question({ search: { people, from, days, effort, region } }: { readonly search: Search }) {
  const { words } = usePage()
  const rows = [
    ...people.map(({ passports, held, expiry }, at) => [
      words.say("where.person", { number: at + 1 }),
      words.locale.list([
        ...passports.map(words.country),
        ...held.map(each => nameHolding(words, each)),
        ...(expiry === "" ? [] : [words.locale.label(words.say("trip.expiry"), words.date(expiry))]),
      ]),
    ]),
    [words.say("trip.from"), words.date(from)],
    [words.say("where.days"), words.number(days)],
    [words.say("where.region"), words.say(region === null ? "where.anywhere" : `region.${region}`)],
    [words.say("where.effort"), words.say(`where.effort_${effort}`)],
  ]
  return (
    <dl class="facts printed-question">
      {rows.map(([name = "", answer]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{answer}</dd>
        </div>
      ))}
    </dl>
  )
}

interface SaidPlace {
  readonly place: FoundPlace
  readonly needs: readonly string[]
}

const sayPlace = (words: Words, place: FoundPlace): SaidPlace => ({
  place,
  needs: place.needs.map(need => sayNeed(words, need)),
})

/** What fits on a page in columns, and how much of a text fits on a line of one. Letters of Chinese, Japanese and Korean are wider. */
const PRINTED = { lines: 200, letters: 40 } as const
const WIDE = /[ᄀ-ᇿ⺀-￯]/gu

/** Counts the places that fit on a printed page. */
function countPrinted(places: readonly SaidPlace[]): number {
  let lines = 0
  const first = places.findIndex(({ needs }) => {
    const widths = needs.map(text => text.length + (text.match(WIDE)?.length ?? 0) + (needs.length > 1 ? 10 : 0))
    lines += widths.reduce((sum, width) => sum + Math.ceil(width / PRINTED.letters), 1.25)
    return lines > PRINTED.lines
  })
  return first === -1 ? places.length : first
}

interface PlaceRowProps {
  readonly said: SaidPlace
  readonly people: readonly Person[]
  readonly from: string
  readonly days: number
  /** Its class where it is not printed. */
  readonly on?: string | undefined
}

function PlaceRow({ said, people, from, days, on }: PlaceRowProps) {
  const { words, linkTo } = usePage()
  const { place, needs } = said
  const { code, requirement } = place
  const to = dateOf(dayOf(from) + days - 1)
  const stops = [{ destination: code, from, to, passport: "", by: "" as const }]
  const [first = NO_TRAVELLER, ...others] = people.map(({ passports, expiry }) => ({
    ...NO_TRAVELLER,
    passports: passports.map(passport => ({ ...NO_PASSPORT, passport, passportExpiry: expiry })),
  }))
  // The dates of documents decide in a trip, and are not asked for here.
  const isTrip = people.every(({ passports, held }) => passports.length > 0 && held.length === 0)
  return (
    <li data-code={code} class={on}>
      <Swatch category={requirement ?? "unknown"} />
      <div>
        {isTrip ? (
          <a href={linkTo({ view: "trip", trip: { ...NO_TRIP, ...first, stops, others } })}>{words.country(code)}</a>
        ) : (
          <strong>{words.country(code)}</strong>
        )}
        {needs.map((need, at) => (
          <p key={at} class="note">
            {people.length > 1 && <span class="who">{words.say("where.person", { number: at + 1 })}: </span>}
            {need}
          </p>
        ))}
      </div>
    </li>
  )
}

/** The requirement of a person, with the days that he may stay, or his blocker. */
function sayNeed(words: Words, { requirement, isHome, stayDays, blockers, conditions }: Need): string {
  if (blockers.length > 0) return blockers.map(blocker => sayNotice(words.locale, blocker)).join(" ")
  if (requirement === null) return words.say("category.unknown")
  if (isHome) return words.say("category.home")
  const asked = words.say(`requirement.${requirement}`)
  const stay = stayDays === null ? [] : [words.say("trip.allowed", { days: { days: stayDays } })]
  const checks = conditions
    .filter(({ code }) => code.startsWith("check_"))
    .map(condition => sayNotice(words.locale, condition))
  return [words.locale.list([asked, ...stay]), ...checks].join(" ")
}
