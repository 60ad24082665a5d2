/** The basis of the answers: how many pairs are recorded, how reliably, from which sources and days, and what the records contain. */

import { shapes } from "site:shapes/110m"
import { useEffect, useMemo, useState } from "preact/hooks"
import { Arriving, Facts, Section, Table, Title } from "../controls/controls.tsx"
import { usePage } from "../page-context.ts"
import { Source } from "../pair/linked-text.tsx"
import { localise, remarkedViewOn } from "../pair/record.ts"
import { loadWholeTables } from "../pair/whole-tables.ts"
import { MAP_HEIGHT, MAP_WIDTH, PLACES } from "../places.ts"
import { countFields, countRules, FIELDS, type FieldCoverage, type RuleCoverage, SURENESS } from "./coverage.ts"

export function CoveragePage() {
  const { words } = usePage()
  const dataset = remarkedViewOn(null)
  const rules = useMemo(() => countRules(dataset), [dataset])
  const known = rules.pairs - rules.bySureness.none
  return (
    <div class="coverage">
      <header>
        <Title text={words.say("data.title")} />
        <p class="lead">{words.say("data.lead", { known, pairs: rules.pairs, verified: rules.bySureness.read })}</p>
        <Facts
          rows={[
            [words.say("foot.dataset"), dataset.version],
            [words.say("data.as_of"), words.date(dataset.asOf)],
            [words.say("word.passports"), words.number(dataset.passports.length)],
            [words.say("word.destinations"), words.number(dataset.destinations.length)],
          ]}
        />
      </header>
      <Surenesses rules={rules} />
      <Sources rules={rules} />
      <Fields />
      <p class="note">{words.say("data.shapes")}</p>
    </div>
  )
}

function Surenesses({ rules }: { readonly rules: RuleCoverage }) {
  const { words } = usePage()
  const { bySureness, ofDestination, pairs } = rules
  return (
    <Section class="surenesses" title={words.say("data.sureness")}>
      <div class="mission-grid">
        <figure>
          <StillMap classOf={code => `sure ${ofDestination.get(code) ?? "none"}`} />
          <figcaption class="note">{words.say("data.sureness_map")}</figcaption>
        </figure>
        <ul class="counts">
          {SURENESS.map(sureness => (
            <li key={sureness}>
              <span class={`square sure ${sureness}`} aria-hidden="true" />
              <span>{words.say(`data.${sureness}`)}</span>
              <span class="count">
                {words.number(bySureness[sureness])} · {words.percent(bySureness[sureness] / pairs)}
              </span>
            </li>
          ))}
        </ul>
      </div>
    </Section>
  )
}

function Sources({ rules }: { readonly rules: RuleCoverage }) {
  const { words } = usePage()
  const { sources, pairs } = rules
  return (
    <Section title={words.say("data.sources")}>
      <Table
        label={words.say("data.sources")}
        heads={(["source", "pairs", "share", "confirmed"] as const).map(name => words.say(`data.${name}`))}
      >
        {sources.map(({ source, pairs: count, readOn }) => (
          <tr key={source?.id ?? ""}>
            <th scope="row">
              {source === null ? (
                words.say("data.no_source")
              ) : (
                <Source name={source.name} url={source.url} day={null} />
              )}
            </th>
            <td>{words.number(count)}</td>
            <td>{words.percent(count / pairs)}</td>
            <td>{readOn === null ? "–" : words.shortDate(readOn)}</td>
          </tr>
        ))}
      </Table>
    </Section>
  )
}

function Fields() {
  const { words } = usePage()
  const [coverage, setCoverage] = useState<FieldCoverage | null>(null)
  const [hasFailed, setFailed] = useState(false)
  const { language } = words
  useEffect(() => {
    let isWanted = true
    const count = async () => {
      // No field is there because of a remark of a rule.
      const dataset = remarkedViewOn(null)
      const localised = await localise(dataset, language, await loadWholeTables(dataset))
      await countFields(
        dataset,
        localised,
        step => isWanted && setCoverage(step),
        () => isWanted,
      )
    }
    count().catch(() => setFailed(true))
    return () => {
      isWanted = false
    }
  }, [language])
  if (coverage === null) {
    return <Arriving hasFailed={hasFailed} />
  }
  const { counted, of, records, byField, ages, nameField } = coverage
  const citations = [...ages.values()].reduce((sum, count) => sum + count, 0)
  return (
    <>
      <Section title={words.say("data.fields")}>
        <p class="note" role="status">
          {words.say(counted < of ? "data.counting" : "data.counted", { records })}
        </p>
        <dl class="bars">
          {FIELDS.map(([field, heading]) => (
            <Bar key={field} label={nameField(heading)} count={byField.get(field) ?? 0} of={records} />
          ))}
        </dl>
      </Section>
      <Section title={words.say("data.age")}>
        <p class="note">{words.say("data.age_why")}</p>
        <dl class="bars">
          {[...ages].map(([year, count]) => (
            <Bar key={year} label={year} count={count} of={citations} />
          ))}
        </dl>
      </Section>
    </>
  )
}

function Bar({ label, count, of }: { readonly label: string; readonly count: number; readonly of: number }) {
  const { words } = usePage()
  const share = of === 0 ? 0 : count / of
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <span class="bar-track" aria-hidden="true">
          <span style={{ width: `${100 * share}%` }} />
        </span>
        <span class="count">{words.percent(share)}</span>
      </dd>
    </div>
  )
}

const DOT_RADIUS = 3.2
const SMALL = 6

/** A map without interaction, each country with a class of its own. The text beside it says the same, so it is hidden from screen readers. */
function StillMap({ classOf }: { readonly classOf: (code: string) => string }) {
  return (
    <svg class="still-map" viewBox={`0 0 ${MAP_WIDTH} ${MAP_HEIGHT}`} aria-hidden="true">
      <g transform={`scale(${MAP_WIDTH / shapes.width})`}>
        {Object.entries(shapes.outlines).map(([code, outline]) => (
          <path key={code} class={classOf(code)} d={outline} />
        ))}
      </g>
      {PLACES.filter(({ area }) => area < SMALL).map(({ code, x, y }) => (
        <circle key={code} class={classOf(code)} cx={x} cy={y} r={DOT_RADIUS} />
      ))}
    </svg>
  )
}
