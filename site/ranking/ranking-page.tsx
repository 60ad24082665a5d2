/** How far does each passport reach? All of them as a plot and as a table, one in detail, and two side by side. */
import { comparePassports, type Dataset, REQUIREMENTS } from "landfall"
import { useMemo, useState } from "preact/hooks"
import { START } from "../address.ts"
import { viewOn } from "../answers.ts"
import { CountryChips } from "../controls/country-chips.tsx"
import { FilterField } from "../controls/filter-field.tsx"
import { Flag } from "../controls/flag.tsx"
import { useSearch } from "../controls/search.ts"
import { Title } from "../controls/title.tsx"
import { Swatch } from "../map/hatching.tsx"
import { usePage } from "../page-context.ts"
import { type Column, orderRows, type RankedPassport, rankAll } from "./ranking.ts"
import { RankingPlot } from "./ranking-plot.tsx"
import { Years } from "./years.tsx"

interface RankingPageProps {
  readonly address: { readonly view: "ranking"; readonly passports: readonly string[]; readonly on: string | null }
}

/** The rank that the plot shows, until other passports are chosen. */
interface Looked {
  readonly place: number
  readonly choice: string
}

const MOST_PASSPORTS = 10
const COLUMNS: readonly Column[] = ["rank", "name", ...REQUIREMENTS, "access", "diversity", "economy"]

export function RankingPage({ address }: RankingPageProps) {
  const { words, go } = usePage()
  const { passports, on } = address
  const dataset = viewOn(on)
  const ranking = useMemo(() => rankAll(dataset), [dataset])
  const [looked, setLooked] = useState<Looked | null>(null)
  const [column, setColumn] = useState<Column>("rank")
  const [sought, setSought] = useState("")
  const firstChosen = ranking.findIndex(({ passport }) => passport === passports[0])
  const choice = passports.join()
  const at = looked?.choice === choice ? looked.place : Math.max(0, firstChosen)
  const shown = ranking[at]
  const choose = (chosen: readonly string[]) => go({ ...address, passports: chosen }, { replace: true })
  const search = useSearch(words, sought !== "")
  const hasSearch = search !== null
  const rows = useMemo(() => {
    const ordered = orderRows(ranking, column, words.country, words.compare)
    if (sought === "" || search === null) return ordered
    const found = new Set(search(sought, dataset.passports).map(({ code }) => code))
    return ordered.filter(({ passport }) => found.has(passport))
  }, [ranking, column, words, dataset, sought, hasSearch])
  return (
    <div class="ranking">
      <header>
        <Title text={words.say("ranking.title")} />
        <p class="lead">{words.say("ranking.lead")}</p>
      </header>
      <RankingPlot
        ranking={ranking}
        looked={at}
        chosen={passports}
        onLook={place => setLooked({ place, choice })}
        onChoose={passport => choose([passport])}
      />
      {shown !== undefined && <Detail ranked={shown} total={ranking.length} />}
      <div class="compare">
        <CountryChips
          label={words.say("word.passports")}
          prompts={[words.say("ranking.choose"), words.say("ranking.compare")]}
          codes={dataset.passports}
          chosen={passports}
          most={MOST_PASSPORTS}
          onChange={choose}
        />
        <Comparison dataset={dataset} passports={passports} />
      </div>
      {shown !== undefined && <Years passport={shown.passport} on={on} />}
      <div class="table-head">
        <h2>{words.say("ranking.table")}</h2>
        <FilterField text={sought} onChange={setSought} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways has to be reached by keys */}
      <section class="table" aria-label={words.say("ranking.table")} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {COLUMNS.map(name => (
                <th
                  key={name}
                  scope="col"
                  aria-sort={
                    name === column ? (name === "rank" || name === "name" ? "ascending" : "descending") : undefined
                  }
                >
                  <button type="button" onClick={() => setColumn(name)}>
                    {headingOf(words.say, name)}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(ranked => (
              <Row key={ranked.passport} ranked={ranked} isChosen={passports.includes(ranked.passport)} />
            ))}
          </tbody>
        </table>
      </section>
      {rows.length === 0 && <p class="note">{words.say("picker.nothing")}</p>}
      <p class="note">{words.say("ranking.how")}</p>
    </div>
  )
}

function headingOf(say: (key: string) => string, column: Column): string {
  switch (column) {
    case "rank":
      return say("ranking.rank")
    case "name":
      return say("word.passport")
    case "access":
    case "diversity":
    case "economy":
      return say(`ranking.${column}`)
    default:
      return say(`requirement.${column}`)
  }
}

function Row({ ranked, isChosen }: { readonly ranked: RankedPassport; readonly isChosen: boolean }) {
  const { words, linkTo } = usePage()
  const { passport, rank, score, detail, parts } = ranked
  return (
    <tr class={isChosen ? "chosen" : undefined}>
      <td>{words.number(rank)}</td>
      <th scope="row">
        <Flag code={passport} /> <a href={linkTo({ ...START, passports: [passport] })}>{words.country(passport)}</a>
        <span class="score">{words.number(score)}</span>
      </th>
      {REQUIREMENTS.map(requirement => (
        <td key={requirement}>{words.number(detail[requirement])}</td>
      ))}
      <td>{words.number(Math.round(parts.access))}</td>
      <td>{words.number(Math.round(parts.diversity))}</td>
      <td>{words.number(Math.round(parts.economy))}</td>
    </tr>
  )
}

function Detail({ ranked, total }: { readonly ranked: RankedPassport; readonly total: number }) {
  const { words, linkTo } = usePage()
  const { passport, rank, score, detail, unknown, parts } = ranked
  return (
    <section class="card detail" aria-label={words.country(passport)}>
      <div>
        <h2>
          <Flag code={passport} /> {words.country(passport)}
        </h2>
        <p class="note">{words.say("ranking.place", { rank, total })}</p>
        <p class="big">{words.number(score)}</p>
        <a href={linkTo({ ...START, passports: [passport] })}>{words.say("ranking.to_map")}</a>
      </div>
      <ul class="counts">
        {REQUIREMENTS.map(requirement => (
          <li key={requirement}>
            <Swatch category={requirement} /> <span>{words.say(`requirement.${requirement}`)}</span>
            <span class="count">{words.number(detail[requirement])}</span>
          </li>
        ))}
        <li>
          <Swatch category="unknown" /> <span>{words.say("category.unknown")}</span>
          <span class="count">{words.number(unknown)}</span>
        </li>
      </ul>
      <dl class="parts">
        {(["access", "diversity", "economy"] as const).map(part => (
          <div key={part}>
            <dt>{words.say(`ranking.${part}`)}</dt>
            <dd>
              <span class="bar-track" aria-hidden="true">
                <span style={{ width: `${parts[part] / 10}%` }} />
              </span>
              {words.number(Math.round(parts[part]))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

interface ComparisonProps {
  readonly dataset: Dataset
  readonly passports: readonly string[]
}

function Comparison({ dataset, passports }: ComparisonProps) {
  const { words, linkTo } = usePage()
  const [passport1, passport2] = passports
  const compared = useMemo(() => {
    if (passport1 === undefined || passport2 === undefined || passports.length !== 2) return null
    const result = comparePassports(dataset, { passport1, passport2 })
    return result.ok && result.value.kind === "found" ? result.value : null
  }, [dataset, passport1, passport2, passports.length])
  if (compared === null || passport1 === undefined || passport2 === undefined) return null
  const { combined } = compared
  const rows = [
    [words.say("difference.only", { country: { country: passport1 } }), combined.onlyPassport1Count],
    [words.say("difference.only", { country: { country: passport2 } }), combined.onlyPassport2Count],
    [words.say("ranking.both"), combined.bothCount],
    [words.say("ranking.neither"), combined.neitherCount],
    [words.say("ranking.combined"), combined.score],
  ] as const
  return (
    <section class="comparison" aria-label={words.say("map.together_difference")}>
      <dl class="facts">
        {rows.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{words.number(value)}</dd>
          </div>
        ))}
      </dl>
      <a href={linkTo({ ...START, passports, together: "difference" })}>{words.say("ranking.difference_map")}</a>
    </section>
  )
}
