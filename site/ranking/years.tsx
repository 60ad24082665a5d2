/**
 * How has a passport's reach changed over the years, and which passports gained and lost most?
 *
 * There is one column for each table, at its day: a time without a table is a gap, because the answers are not known. The table below has
 * the same numbers, for the last table of each year.
 */
import { REQUIREMENTS } from "landfall"
import type { RankMove } from "landfall/history"
import { useMemo } from "preact/hooks"
import { dayOf, isPastDay } from "../answers.ts"
import { Flag, Section, Stretched, Table } from "../controls/controls.tsx"
import { usePage } from "../page-context.ts"
import type { Reach } from "../past/past.ts"
import { type Past, YearsSection } from "../past/use-past.tsx"

interface YearsProps {
  readonly passport: string
  readonly on: string | null
}

const HEIGHT = 100
const WIDEST_DAYS = 26
const MOST_LISTED = 10

export function Years({ passport, on }: YearsProps) {
  return <YearsSection isOpen={isPastDay(on)}>{past => <Reaches past={past} passport={passport} />}</YearsSection>
}

function Reaches({ past, passport }: { readonly past: Past; readonly passport: string }) {
  const { words } = usePage()
  const reaches = useMemo(() => past.listReach(passport), [past, passport])
  const gains = useMemo(() => past.listGains(), [past])
  const first = reaches[0]?.on ?? ""
  const date = { on: first }
  const lasts = reaches.filter(({ on }, at) => reaches[at + 1]?.on.slice(0, 4) !== on.slice(0, 4))
  const name = words.country(passport)
  return (
    <>
      <p class="note">{words.say("ranking.years_lead", { date })}</p>
      <h3>
        <Flag code={passport} /> {name}
      </h3>
      <YearsPlot reaches={reaches} />
      <Table
        label={name}
        heads={[words.say("day.label"), ...REQUIREMENTS.map(each => words.say(`requirement.${each}`))]}
      >
        {lasts.map(({ on, detail }) => (
          <tr key={on}>
            <th scope="row">
              <time dateTime={on}>{words.shortDate(on)}</time>
            </th>
            {REQUIREMENTS.map(requirement => (
              <td key={requirement}>{words.number(detail[requirement])}</td>
            ))}
          </tr>
        ))}
      </Table>
      <div class="gains">
        <Gains heading={words.say("ranking.gained", { date })} gains={gains.slice(0, MOST_LISTED)} />
        <Gains heading={words.say("ranking.lost", { date })} gains={gains.slice(-MOST_LISTED).reverse()} />
      </div>
    </>
  )
}

function YearsPlot({ reaches }: { readonly reaches: readonly Reach[] }) {
  const first = dayOf(reaches[0]?.on ?? "")
  const span = dayOf(reaches.at(-1)?.on ?? "") + WIDEST_DAYS - first
  return (
    <div class="plot still">
      <Stretched width={span} height={HEIGHT}>
        {reaches.map(({ on, detail, total }, at) => {
          const x = dayOf(on)
          const next = reaches[at + 1]
          const width = Math.min(WIDEST_DAYS, next === undefined ? WIDEST_DAYS : dayOf(next.on) - x) - 1
          let top = HEIGHT
          return (
            <g key={on}>
              {REQUIREMENTS.map(name => {
                const height = (HEIGHT * detail[name]) / total
                top -= height
                return <rect key={name} class={`tint ${name}`} x={x - first} width={width} y={top} height={height} />
              })}
            </g>
          )
        })}
      </Stretched>
    </div>
  )
}

function Gains({ heading, gains }: { readonly heading: string; readonly gains: readonly RankMove[] }) {
  const { words } = usePage()
  return (
    <Section title={heading} level={3}>
      <ol class="gains-list">
        {gains.map(({ passport, scoreBefore, score, rankBefore, rank }) => (
          <li key={passport}>
            <Flag code={passport} /> {words.country(passport)}{" "}
            <strong>
              {score < scoreBefore ? "−" : "+"}
              {words.number(Math.round(Math.abs(score - scoreBefore) * 10) / 10)}
            </strong>{" "}
            <span class="note">{words.say("ranking.moved", { before: rankBefore, after: rank })}</span>
          </li>
        ))}
      </ol>
    </Section>
  )
}
