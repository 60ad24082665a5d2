/**
 * How does everything that works on a dataset work on a past day?
 *
 * By a view of a dataset in which every pair answers as the history says for that day. Scores, ranks and comparisons take it like any other
 * dataset. It has no conditions, zones or rules of transit: nobody recorded those of the past.
 */
import { type EpochDay, formatCivilDate, parseCivilDate } from "../civil-date.ts"
import {
  answerIndexAt,
  completeDataset,
  type Dataset,
  type Found,
  type NoRecord,
  takeDataset,
} from "../dataset/open.ts"
import { describe, failure, type InputError, type Result, success } from "../errors.ts"
import type { Requirement } from "../requirement/requirement.ts"
import { type History, lookupPast, type PastFound } from "./past.ts"

/**
 * Makes the view of a dataset for a past day.
 *
 * On a day between two tables that differ, the earlier one counts. Where a table writes "e-visa" for e-visa and eTA, the pair counts as what the tables called it once they told the two apart, if nothing
 * changed until then, and else as e-visa, the harder of the two. An entry card, which is not a requirement of today, is no record. Fails with
 * `InputRefused` for a day before the first table or after the last. Some four milliseconds.
 *
 * @example
 * ```ts
 * const view = pastDataset(embeddedHistory(), embeddedDataset(), "2022-03-06")
 * const score = view.ok ? scorePassport(view.value, "JPN") : view
 * score.ok && score.value.kind === "found" && score.value.on // => "2022-03-06"
 * ```
 */
export function pastDataset(history: History, dataset: Dataset, on: string): Result<Dataset, InputError> {
  const day = parseCivilDate(on)
  const { firstOn, untilOn } = findWhole(history)
  if (day === null || on < firstOn || on > untilOn) {
    const message = `${describe(on)} is not a calendar date YYYY-MM-DD from ${firstOn} to ${untilOn}.`
    return failure({ tag: "InputRefused", message: `on: ${message}`, issues: [{ path: "on", message }] })
  }
  return success(buildView(history, takeDataset(dataset), day))
}

// Published lists are those of one destination: tables alone speak for all of them.
function findWhole({ series }: History): { readonly firstOn: string; readonly untilOn: string } {
  const seen = series.filter(({ kind }) => kind === "seen")
  const whole = seen.length > 0 ? seen : series
  return {
    firstOn: formatCivilDate(Math.min(...whole.map(({ firstDay }) => firstDay))),
    untilOn: formatCivilDate(Math.max(...whole.map(({ untilDay }) => untilDay))),
  }
}

function buildView(history: History, dataset: Dataset, day: EpochDay): Dataset {
  const { passports, destinations, answers: present } = dataset
  const answers: (Found | NoRecord)[] = [present[0] as NoRecord]
  const places = new Map<unknown, number>()
  const placeOf = (key: unknown, make: () => Found | NoRecord): number => {
    const known = places.get(key)
    if (known !== undefined) return known
    places.set(key, answers.length)
    return answers.push(make()) - 1
  }
  const pairs = new Uint16Array(passports.length * destinations.length)
  passports.forEach((passport, row) => {
    destinations.forEach((destination, column) => {
      const pair = row * destinations.length + column
      const today = present[answerIndexAt(dataset, pair, dataset.asOfDay)]
      if (today?.kind === "found" && today.home) {
        pairs[pair] = placeOf(today, () => today)
        return
      }
      const answer = lookupPast(history, passport, destination, day)
      if (answer.kind !== "found") return
      const requirement = countAs(answer)
      if (requirement === null) return
      const key = `${requirement} ${answer.value.days} ${answer.source.id}`
      pairs[pair] = placeOf(key, () => makeFound(dataset, answer, requirement))
    })
  })
  const rest = {
    header: { regions: dataset.regions, regionOf: dataset.regionOf, gdpUsdMillions: dataset.gdpUsdMillions },
    sources: [],
  }
  const on = formatCivilDate(day)
  const table = {
    ...dataset,
    answers,
    pairs,
    asOf: on,
    asOfDay: day,
    sinceDay: day,
    timelines: new Map(),
    sections: undefined,
  }
  const { sections: _, ...bare } = table
  return completeDataset(bare, rest, destinations.join(""))
}

const countAs = ({ value, laterCalled }: PastFound): Requirement | null =>
  value.requirement ?? laterCalled ?? (value.word === "e_visa_or_eta" ? "e_visa" : null)

function makeFound(dataset: Dataset, { value, source }: PastFound, requirement: Requirement): Found {
  return Object.freeze({
    kind: "found",
    requirement,
    days: value.days,
    home: false,
    uncertain: false,
    basis: null,
    bloc: null,
    follows: null,
    source,
    verifiedOn: null,
    citedOn: null,
    datasetVersion: dataset.version,
  })
}
