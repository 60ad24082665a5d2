/** How far does each passport reach, or how open is each destination? All of them as a plot and as a table, for a day and by a method, one in detail, and up to four passports side by side. */
import { REQUIREMENTS } from "landfall"
import { useMemo, useRef, useState } from "preact/hooks"
import { addressOf, type RankingAddress } from "../address.ts"
import { isPastDay, pairsDataset, viewOn } from "../answers.ts"
import { askAbout, NO_QUESTION } from "../ask/question.ts"
import { Choice, DateField, FilterField, Flag, Selection, Table, Title } from "../controls/controls.tsx"
import { CountryChips } from "../controls/country-picker.tsx"
import { ExportFiles } from "../controls/export-files.tsx"
import { useSearch } from "../controls/search.ts"
import { useAfterPaint, useGrowing } from "../first-paint.ts"
import type { Words } from "../language/words.ts"
import { Swatch } from "../map/hatching.tsx"
import { usePage } from "../page-context.ts"
import { Comparison } from "./comparison.tsx"
import { AXES, METHODS, MOST_COMPARED } from "./methods.ts"
import { type Column, orderRows, type RankedPlace, rankAll } from "./ranking.ts"
import { RankingPlot } from "./ranking-plot.tsx"
import { Years } from "./years.tsx"

interface RankingPageProps {
  readonly address: RankingAddress
}

/** The rank that the plot shows, until other passports are chosen. */
interface Looked {
  readonly place: number
  readonly choice: string
}

const COLUMNS: readonly Column[] = ["rank", "name", ...REQUIREMENTS]
/** How many rows each frame adds to the table: all at once block a phone, because a table is laid out as a whole. */
const ROWS_OF_FRAME = 25
const NONE: readonly string[] = []
const PARTS = ["access", "diversity", "economy"] as const

export function RankingPage({ address }: RankingPageProps) {
  const { words, go } = usePage()
  const { passports, on, method, axis } = address
  const isPainted = useAfterPaint(true, false)
  const plot = useRef<HTMLDivElement>(null)
  const isOfPassports = axis === "passports"
  const columns = isOfPassports ? [...COLUMNS, ...PARTS] : COLUMNS
  const dataset = viewOn(on)
  const ranking = useMemo(() => rankAll(dataset, method, axis), [dataset, method, axis])
  const [looked, setLooked] = useState<Looked | null>(null)
  const [column, setColumn] = useState<Column>("rank")
  const [sought, setSought] = useState("")
  const firstChosen = ranking.findIndex(({ code }) => isOfPassports && code === passports[0])
  const choice = `${axis} ${passports.join()}`
  const at = looked?.choice === choice ? looked.place : Math.max(0, firstChosen)
  const shown = ranking[at]
  const choose = (chosen: readonly string[]) => go({ ...address, passports: chosen }, { replace: true })
  const search = useSearch(words, sought !== "")
  const hasSearch = search !== null
  const rows = useMemo(() => {
    if (!isPainted) return []
    const ordered = orderRows(ranking, column, words.country, words.compare)
    if (sought === "" || search === null) return ordered
    const found = new Set(
      search(sought, isOfPassports ? dataset.passports : dataset.destinations).map(({ code }) => code),
    )
    return ordered.filter(({ code }) => found.has(code))
  }, [ranking, column, words, dataset, sought, hasSearch, isPainted])
  const table = () => [
    [
      words.say("ranking.rank"),
      "code",
      words.say(isOfPassports ? "word.passport" : "word.destination"),
      words.say("ranking.score"),
      ...columns.slice(2).map(name => headingOf(words, name, isOfPassports)),
      words.say("category.unknown"),
      words.say("day.label"),
      words.say("foot.dataset"),
    ],
    ...ranking.map(({ code, rank, score, detail, unknown, parts }) => [
      String(rank),
      code,
      words.country(code),
      String(score),
      ...REQUIREMENTS.map(requirement => String(detail[requirement])),
      ...(parts === null ? [] : PARTS.map(part => String(parts[part]))),
      String(unknown),
      on ?? dataset.asOf,
      dataset.version,
    ]),
  ]
  return (
    <div class="ranking">
      <header>
        <Title text={words.say("ranking.title")} />
        <p class="lead">{words.say(isOfPassports ? "ranking.lead" : "ranking.openness_lead")}</p>
        <div class="ranking-choices">
          <Choice
            label={words.say("nav.ranking")}
            options={AXES.map(each => [each, words.say(`ranking.of_${each}`)] as const)}
            value={axis}
            onChange={chosen => go({ ...address, axis: chosen }, { replace: true })}
          />
          <Selection
            label={words.say("ranking.method")}
            options={METHODS.filter(each => isOfPassports || each !== "economy").map(
              each => [each, words.say(`ranking.method_${each}`)] as const,
            )}
            value={method}
            onChange={chosen => go({ ...address, method: chosen }, { replace: true })}
          />
          <DateField
            label={words.say("day.label")}
            value={on ?? ""}
            onChange={day => go({ ...address, on: day === "" ? null : day }, { replace: true })}
          />
        </div>
        {!isPastDay(on) && <p class="note">{words.say("day.known", { date: { on: pairsDataset().asOf } })}</p>}
      </header>
      <div ref={plot}>
        <RankingPlot
          ranking={ranking}
          label={words.say(isOfPassports ? "ranking.plot" : "ranking.openness_plot")}
          looked={at}
          chosen={isOfPassports ? passports : []}
          onLook={place => setLooked({ place, choice })}
          onChoose={code => {
            if (isOfPassports) choose([code])
          }}
        />
      </div>
      {shown !== undefined && <Detail ranked={shown} total={ranking.length} />}
      <div class="compare">
        <CountryChips
          label={words.say("word.passports")}
          prompts={[words.say("ranking.choose"), words.say("ranking.compare")]}
          codes={dataset.passports}
          chosen={passports}
          most={MOST_COMPARED}
          onChange={choose}
        />
        <Comparison dataset={dataset} passports={passports} on={on} />
      </div>
      {shown !== undefined && isOfPassports && <Years passport={shown.code} on={on} />}
      <div class="table-head">
        <h2>{words.say("ranking.table")}</h2>
        <FilterField text={sought} onChange={setSought} />
      </div>
      <Table
        label={words.say("ranking.table")}
        heads={columns.map(name => (
          <th
            key={name}
            scope="col"
            aria-sort={name === column ? (name === "rank" || name === "name" ? "ascending" : "descending") : undefined}
          >
            <button type="button" onClick={() => setColumn(name)}>
              {headingOf(words, name, isOfPassports)}
            </button>
          </th>
        ))}
      >
        <Rows rows={rows} chosen={isOfPassports ? passports : NONE} />
      </Table>
      {isPainted && rows.length === 0 && <p class="note">{words.say("picker.nothing")}</p>}
      <p class="note">
        {words.say(!isOfPassports ? "ranking.openness_how" : method === "score" ? "ranking.how" : "ranking.how_one")}
      </p>
      <ExportFiles name="ranking" drawing={() => plot.current?.querySelector("svg") ?? null} rows={table} />
    </div>
  )
}

function headingOf({ say }: Words, column: Column, isOfPassports: boolean): string {
  switch (column) {
    case "rank":
      return say("ranking.rank")
    case "name":
      return say(isOfPassports ? "word.passport" : "word.destination")
    case "access":
    case "diversity":
    case "economy":
      return say(`ranking.${column}`)
    default:
      return say(`requirement.${column}`)
  }
}

interface RowsProps {
  readonly rows: readonly RankedPlace[]
  readonly chosen: readonly string[]
}

/** The rows, more of them in each frame. Those that are there are not made again. */
function Rows({ rows, chosen }: RowsProps) {
  const { words } = usePage()
  const drawn = useGrowing(rows.length, ROWS_OF_FRAME)
  const made = useMemo(
    () => rows.map(ranked => <Row key={ranked.code} ranked={ranked} isChosen={chosen.includes(ranked.code)} />),
    [rows, chosen, words],
  )
  return <>{made.slice(0, drawn)}</>
}

function Row({ ranked, isChosen }: { readonly ranked: RankedPlace; readonly isChosen: boolean }) {
  const { words, linkTo } = usePage()
  const { code, rank, score, detail, parts } = ranked
  return (
    <tr class={isChosen ? "chosen" : undefined}>
      <td>{words.number(rank)}</td>
      <th scope="row">
        <Flag code={code} />{" "}
        <a href={linkTo(addressOf(parts === null ? { ...NO_QUESTION, to: code } : askAbout(code, null)))}>
          {words.country(code)}
        </a>
        <span class="score">{words.number(score)}</span>
      </th>
      {REQUIREMENTS.map(requirement => (
        <td key={requirement}>{words.number(detail[requirement])}</td>
      ))}
      {parts !== null && PARTS.map(part => <td key={part}>{words.number(Math.round(parts[part]))}</td>)}
    </tr>
  )
}

function Detail({ ranked, total }: { readonly ranked: RankedPlace; readonly total: number }) {
  const { words, linkTo } = usePage()
  const { code, rank, score, detail, unknown, parts } = ranked
  return (
    <section class="card detail" aria-label={words.country(code)}>
      <div>
        <h2>
          <Flag code={code} /> {words.country(code)}
        </h2>
        <p class="note">{words.say("ranking.place", { rank, total })}</p>
        <p class="big">{words.number(score)}</p>
        <a href={linkTo(addressOf(parts === null ? { ...NO_QUESTION, to: code } : askAbout(code, null)))}>
          {words.say("ranking.to_map")}
        </a>
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
      {parts !== null && (
        <dl class="parts">
          {PARTS.map(part => (
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
      )}
    </section>
  )
}
