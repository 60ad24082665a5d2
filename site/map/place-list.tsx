/** The map as a list: countries by requirement, each with a link to everything that is known about it. */
import { useMemo, useState } from "preact/hooks"
import type { MapAddress } from "../address.ts"
import { FilterField } from "../controls/filter-field.tsx"
import { Flag } from "../controls/flag.tsx"
import { listAll, useSearch } from "../controls/search.ts"
import { nameHolding } from "../holdings.ts"
import { usePage } from "../page-context.ts"
import { type Category, type Colouring, paintOf } from "./colouring.ts"
import { describePaint, nameCategory } from "./describe-paint.ts"
import { ExportMap } from "./export-map.tsx"
import { Swatch } from "./hatching.tsx"

interface PlaceListProps {
  readonly colouring: Colouring
  readonly chosen: MapAddress
  readonly only: Category | null
  readonly disputed: ReadonlySet<string>
  readonly onChoose: (code: string) => void
}

export function PlaceList({ colouring, chosen, only, disputed, onChoose }: PlaceListProps) {
  const { words, linkTo } = usePage()
  const [sought, setSought] = useState("")
  const codes = useMemo(() => [...colouring.paints.keys()], [colouring])
  const search = useSearch(words, sought !== "")
  const hasSearch = search !== null
  const found = useMemo(
    () => (sought === "" || search === null ? listAll(words, codes) : search(sought, codes)),
    [words, codes, sought, hasSearch],
  )
  const groups = colouring.legend
    .filter(category => only === null || category === only)
    .map(category => ({
      category,
      places: found.filter(({ code }) => paintOf(colouring, code).category === category),
    }))
    .filter(({ places }) => places.length > 0)
  const { destination, passports, on } = chosen
  const [passport] = passports
  return (
    <section class="place-list" aria-label={words.say("list.title")}>
      <header>
        <h2>{words.say("list.title")}</h2>
        <FilterField text={sought} onChange={setSought} />
        <ExportMap colouring={colouring} chosen={chosen} />
      </header>
      {groups.length === 0 && <p class="note">{words.say("picker.nothing")}</p>}
      {groups.map(({ category, places }) => (
        <section key={category} aria-label={nameCategory(words, category, passports)}>
          <h3>
            <Swatch category={category} /> {nameCategory(words, category, passports)}{" "}
            <span class="count">{words.number(places.length)}</span>
          </h3>
          <ul>
            {places.map(({ code, name }) => {
              const paint = paintOf(colouring, code)
              const pair =
                destination === null
                  ? passports.length === 1 && passport !== undefined
                    ? { passport, destination: code }
                    : null
                  : { passport: code, destination }
              const isKnown = paint.answers.some(({ answer }) => answer !== null)
              return (
                <li key={code} data-code={code}>
                  {pair !== null && isKnown ? (
                    <a href={linkTo({ view: "pair", kind: "", ...pair, on })}>
                      <Flag code={code} />
                      {name}
                    </a>
                  ) : (
                    <button type="button" class="plain" onClick={() => onChoose(code)}>
                      <Flag code={code} />
                      {name}
                    </button>
                  )}
                  {disputed.has(code) && <span class="note disputed">{words.say("map.disputed")}</span>}
                  {paint.days !== null && <span class="note">{words.days(paint.days)}</span>}
                  {paint.use !== null && paint.category !== "home" && (
                    <span class="note" title={describePaint(words, paint, chosen)}>
                      <Flag code={paint.use} /> {paint.use}
                    </span>
                  )}
                  {paint.by !== null && <span class="note">{nameHolding(words, paint.by)}</span>}
                </li>
              )
            })}
          </ul>
        </section>
      ))}
    </section>
  )
}
