/**
 * Two to four passports side by side: how many destinations each set of them opens, which ones only one opens, and the requirement of each
 * everywhere.
 */
import { comparePassports, type PairsDataset } from "landfall"
import { useMemo, useState } from "preact/hooks"
import { addressOf } from "../address.ts"
import { askAbout } from "../ask/question.ts"
import { Facts, FilterField, Flag, Section, Table } from "../controls/controls.tsx"
import { ExportFiles } from "../controls/export-files.tsx"
import { useSearch } from "../controls/search.ts"
import { nameAnswer } from "../language/words.ts"
import { usePage } from "../page-context.ts"
import { compareAt, isSame, listSet, listSets } from "./compare.ts"

interface ComparisonProps {
  readonly dataset: PairsDataset
  readonly passports: readonly string[]
  readonly on: string | null
}

export function Comparison({ dataset, passports, on }: ComparisonProps) {
  const { words, linkTo } = usePage()
  const chosen = passports.filter(passport => dataset.passports.includes(passport))
  const key = chosen.join()
  const rows = useMemo(() => (chosen.length < 2 ? [] : compareAt(dataset, chosen)), [dataset, key])
  const sets = useMemo(() => listSets(rows, chosen.length), [rows])
  const together = useMemo(() => scoreOfTwo(dataset, chosen), [dataset, key])
  if (rows.length === 0) return null
  const nameSet = (set: number): string => {
    const names = listSet(set, chosen).map(words.country)
    if (names.length === 0) return words.say(chosen.length === 2 ? "ranking.neither" : "compare.none")
    if (names.length === chosen.length) return words.say(chosen.length === 2 ? "ranking.both" : "compare.all")
    return words.locale.label(words.say("compare.only"), words.locale.list(names))
  }
  const title = words.say("compare.title")
  const table = () => [
    ["code", words.say("word.destination"), ...chosen.map(words.country), words.say("foot.dataset")],
    ...rows.map(({ destination, answers }) => [
      destination,
      words.country(destination),
      ...answers.map(answer => nameAnswer(words, answer)),
      dataset.version,
    ]),
  ]
  return (
    <Section class="comparison" title={title}>
      <Facts
        rows={[
          ...sets.map(([set, destinations]) => [nameSet(set), words.number(destinations.length)]),
          ...(together === null ? [] : [[words.say("ranking.combined"), words.number(together)]]),
        ]}
      />
      {sets.slice(0, chosen.length).map(([set, destinations]) => {
        const [passport = ""] = listSet(set, chosen)
        return (
          <details key={passport} class="only">
            <summary>
              <Flag code={passport} /> {words.locale.label(words.say("compare.only"), words.country(passport))}{" "}
              <span class="count">{words.number(destinations.length)}</span>
            </summary>
            <ul class="only-list">
              {[...destinations]
                .sort((one, other) => words.compare(words.country(one), words.country(other)))
                .map(destination => (
                  <li key={destination}>
                    <a href={linkTo(addressOf(askAbout(passport, destination, on ?? "")))}>
                      {words.country(destination)}
                    </a>
                  </li>
                ))}
            </ul>
          </details>
        )
      })}
      <SideBySide rows={rows} passports={chosen} dataset={dataset} on={on} />
      <ExportFiles name="compare" rows={table} />
    </Section>
  )
}

/** The score that two passports have together; null for any other number. */
function scoreOfTwo(dataset: PairsDataset, [passport1, passport2, ...others]: readonly string[]): number | null {
  if (passport1 === undefined || passport2 === undefined || others.length > 0) return null
  const result = comparePassports(dataset, { passport1, passport2 })
  return result.ok && result.value.kind === "found" ? result.value.combined.score : null
}

interface SideBySideProps extends ComparisonProps {
  readonly rows: ReturnType<typeof compareAt>
}

function SideBySide({ rows, passports, dataset, on }: SideBySideProps) {
  const { words, linkTo } = usePage()
  const [isOpen, setOpen] = useState(false)
  const [differ, setDiffer] = useState(true)
  const [sought, setSought] = useState("")
  const search = useSearch(words, sought !== "")
  const found =
    sought === "" || search === null ? null : new Set(search(sought, dataset.destinations).map(({ code }) => code))
  const shown = (isOpen ? rows : [])
    .filter(row => (!differ || !isSame(row)) && (found === null || found.has(row.destination)))
    .sort((one, other) => words.compare(words.country(one.destination), words.country(other.destination)))
  const title = words.say("compare.side")
  return (
    <details class="side" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && (
        <>
          <div class="table-head">
            <label class="check">
              <input type="checkbox" checked={differ} onChange={event => setDiffer(event.currentTarget.checked)} />
              <span>{words.say("compare.differ")}</span>
            </label>
            <FilterField text={sought} onChange={setSought} />
          </div>
          <Table
            label={title}
            heads={[
              words.say("word.destination"),
              ...passports.map(passport => [<Flag key={passport} code={passport} />, " ", words.country(passport)]),
            ]}
          >
            {shown.map(({ destination, answers }) => (
              <tr key={destination}>
                <th scope="row">{words.country(destination)}</th>
                {answers.map((answer, at) => (
                  <td key={passports[at]}>
                    <a href={linkTo(addressOf(askAbout(passports[at] ?? "", destination, on ?? "")))}>
                      {nameAnswer(words, answer)}
                    </a>
                  </td>
                ))}
              </tr>
            ))}
          </Table>
          {shown.length === 0 && <p class="note">{words.say("picker.nothing")}</p>}
        </>
      )}
    </details>
  )
}
