/**
 * Where can we go? Every place by the verdict on it, as numbers, on a map and as a list.
 *
 * What depends on a condition, on a transit or on a rule that has ended, and what is not known, is counted apart: never as free.
 */
import { useMemo, useState } from "preact/hooks"
import { type AskAddress, addressOf } from "../address.ts"
import { pairsDataset } from "../answers.ts"
import { type Question, travellersOf } from "../ask/question.ts"
import { namePeople, QuestionBar } from "../ask/question-form.tsx"
import { Button, FilterField, Selection, Title } from "../controls/controls.tsx"
import { ExportFiles } from "../controls/export-files.tsx"
import { listAll, useSearch } from "../controls/search.ts"
import { useAfterPaint } from "../first-paint.ts"
import type { Words } from "../language/words.ts"
import { Swatch } from "../map/hatching.tsx"
import { WorldMap } from "../map/world-map.tsx"
import { usePage } from "../page-context.ts"
import { isApart, LOOKS, type Look, nameCategory } from "../verdict/looks.ts"
import { OutcomeWord, sayReason, sayVerdict } from "../verdict/verdict.tsx"
import { wholeViewOn } from "../whole-dataset.ts"
import { countLooks, type FoundPlace, findPlaces, groupPeople } from "./find-places.ts"
import { REGION_CODES, regionOf } from "./region-codes.ts"

/** How many places of a look are listed at first. */
const FIRST_PLACES = 8

export function AnywherePage({ address: { question } }: { readonly address: AskAddress }) {
  const { words } = usePage()
  const [only, setOnly] = useState<Look | null>(null)
  const dataset = wholeViewOn(null)
  const asked = JSON.stringify(question)
  const places = useMemo(() => findPlaces(dataset, question), [dataset, asked])
  const counts = useMemo(() => countLooks(places), [places])
  // The colours are painted first: names are larger than all else together, and the list is below them.
  const listed = useAfterPaint<readonly FoundPlace[] | null>(places, null)
  const title = words.locale.label(nameCategory(words, "clear"), words.number(counts.get("clear") ?? 0))
  const rows = () => [
    ["code", words.say("word.destination"), words.say("label.requirement"), words.say("foot.dataset")],
    ...places.map(({ code, verdict }) => [code, words.country(code), sayVerdict(words, verdict), dataset.version]),
  ]
  return (
    <div class="anywhere-page">
      <QuestionBar question={question} />
      <header>
        <Title text={title} />
        <p class="note">{words.say("day.known", { date: { on: pairsDataset().asOf } })}</p>
      </header>
      <div class="anywhere-grid">
        <Legend counts={counts} only={only} onOnly={setOnly} />
        <PlaceMap {...{ question, places, named: listed ?? [], only, title }} />
      </div>
      {listed !== null && <PlaceList {...{ question, places: listed, only }} />}
      <ExportFiles name="map" drawing={() => document.querySelector<SVGSVGElement>("svg.world")} rows={rows} />
      <p class="note">{words.say("holding.assumed")}</p>
      <p class="note">{words.say("answer.assumed")}</p>
    </div>
  )
}

interface LegendProps {
  readonly counts: ReadonlyMap<Look, number>
  readonly only: Look | null
  readonly onOnly: (look: Look | null) => void
}

/** What each colour means, and how many places have it. Pressing a row shows only its places. */
function Legend({ counts, only, onOnly }: LegendProps) {
  const { words } = usePage()
  const list = (label: string, looks: readonly Look[]) => (
    <ul class="legend" aria-label={label}>
      {looks.map(look => {
        const count = counts.get(look) ?? 0
        return (
          <li key={look}>
            <button
              type="button"
              aria-pressed={only === look}
              disabled={count === 0}
              onClick={() => onOnly(only === look ? null : look)}
            >
              <Swatch category={look} />
              <span class="name">{nameCategory(words, look)}</span>
              <span class="count" data-look={look}>
                {words.number(count)}
              </span>
            </button>
          </li>
        )
      })}
    </ul>
  )
  return (
    <div>
      {list(
        words.say("map.legend"),
        LOOKS.filter(look => !isApart(look)),
      )}
      <p class="note">{words.say("look.apart")}</p>
      {list(words.say("look.apart"), LOOKS.filter(isApart))}
    </div>
  )
}

interface PlacesProps {
  readonly question: Question
  readonly places: readonly FoundPlace[]
  readonly only: Look | null
}

/** `named`: the places whose names are drawn. */
type PlaceMapProps = PlacesProps & { readonly named: readonly FoundPlace[]; readonly title: string }

function PlaceMap({ question, places, named, only, title }: PlaceMapProps) {
  const { words, go } = usePage()
  const looks = useMemo(() => new Map(places.map(({ code, verdict }) => [code, verdict.look])), [places])
  const labelOf = useMemo(() => labelPlaces(words, named), [words, named])
  return (
    <WorldMap
      label={title}
      lookOf={code => looks.get(code)}
      {...{ only, labelOf }}
      onChoose={code => go(addressOf({ ...question, to: code }))}
    />
  )
}

/** Names each place with the verdict on it, when it is first asked for. */
function labelPlaces(words: Words, places: readonly FoundPlace[]): (code: string) => string {
  const say = ({ code, verdict }: FoundPlace) => words.locale.label(words.country(code), sayVerdict(words, verdict))
  const labels = new Map(places.map(place => [place.code, say(place)]))
  return code => labels.get(code) ?? (places.length === 0 ? "" : words.country(code))
}

function PlaceList({ question, places, only }: PlacesProps) {
  const { words } = usePage()
  const [sought, setSought] = useState("")
  const [region, setRegion] = useState("")
  const dataset = wholeViewOn(null)
  const search = useSearch(words, sought !== "")
  const codes = useMemo(() => places.map(({ code }) => code), [places])
  const found = sought === "" || search === null ? listAll(words, codes) : search(sought, codes)
  const regions = useMemo(() => listRegions(words), [words])
  const byCode = new Map(places.map(place => [place.code, place]))
  const shown = found
    .flatMap(({ code }) => byCode.get(code) ?? [])
    .filter(
      ({ code, verdict }) =>
        (only === null || verdict.look === only) && (region === "" || regionOf(dataset, code) === region),
    )
  const isNarrowed = only !== null || sought !== "" || region !== ""
  return (
    <section class="place-list" aria-label={words.say("list.title")}>
      <header class="question-fields">
        <FilterField text={sought} onChange={setSought} />
        <Selection
          label={words.say("where.region")}
          options={[["", words.say("where.anywhere")], ...regions]}
          value={region}
          onChange={setRegion}
        />
      </header>
      {shown.length === 0 && <p class="note">{words.say("picker.nothing")}</p>}
      {LOOKS.map(look => (
        <LookSection
          key={look}
          look={look}
          places={shown.filter(({ verdict }) => verdict.look === look)}
          {...{ question, isNarrowed }}
        />
      ))}
    </section>
  )
}

/** The sub-regions by their names in the reader's language. */
function listRegions(words: Words): readonly (readonly [code: string, name: string])[] {
  return Object.values(REGION_CODES)
    .map(code => [code, words.say(`region.${code}`)] as const)
    .sort(([, one], [, other]) => words.compare(one, other))
}

interface LookSectionProps {
  readonly question: Question
  readonly look: Look
  readonly places: readonly FoundPlace[]
  /** Whether the reader looks for certain places, and so sees all that were found. */
  readonly isNarrowed: boolean
}

function LookSection({ question, look, places, isNarrowed }: LookSectionProps) {
  const { words } = usePage()
  const [isWhole, setWhole] = useState(false)
  if (places.length === 0) return null
  const shown = isWhole || isNarrowed ? places : places.slice(0, FIRST_PLACES)
  return (
    <section aria-label={nameCategory(words, look)}>
      <h2>
        <Swatch category={look} /> {nameCategory(words, look)} <span class="count">{words.number(places.length)}</span>
      </h2>
      <ul>
        {shown.map(place => (
          <PlaceRow key={place.code} {...{ question, place }} />
        ))}
      </ul>
      {shown.length < places.length && (
        <Button
          look="quiet"
          label={words.say("anywhere.all", { count: places.length })}
          onClick={() => setWhole(true)}
        />
      )}
    </section>
  )
}

function PlaceRow({ question, place }: { readonly question: Question; readonly place: FoundPlace }) {
  const { words, linkTo } = usePage()
  const { code, verdict } = place
  const groups = groupPeople(place, question, each => sayVerdict(words, each))
  const all = travellersOf(question).length
  return (
    <li data-code={code} data-look={verdict.look}>
      <a href={linkTo(addressOf({ ...question, to: code }))}>{words.country(code)}</a>
      <div>
        {groups.map(({ people, verdict: each }, at) => (
          <p key={at}>
            {groups.length > 1 && <span class="note">{words.locale.label(namePeople(words, people, all), "")} </span>}
            <OutcomeWord verdict={each} /> <span>{sayReason(words, each)}</span>
          </p>
        ))}
      </div>
    </li>
  )
}
