/** All 199 scores, with nothing kept from the run before. */
import { openDataset, rankPassports } from "landfall"
import type { Case } from "./measure.ts"

/** Scores every passport of a dataset file, opened anew each time, so that no table of an earlier run helps; opening is timed apart. */
export function scoreCases(file: Uint8Array): readonly Case[] {
  const open = () => {
    const opened = openDataset(file)
    if (!opened.ok) throw new Error(opened.error.message)
    return opened.value
  }
  const kept = open()
  const rankAll = (dataset: ReturnType<typeof open>) => {
    const ranking = rankPassports(dataset)
    return ranking.ok ? ranking.value.passports : []
  }
  const answer = (dataset: ReturnType<typeof open>) => JSON.stringify(rankAll(dataset))
  const repeat = (dataset: () => ReturnType<typeof open>) => (count: number) => {
    let sum = 0
    for (let i = 0; i < count; i++) sum += rankAll(dataset())[0]?.score ?? 0
    return sum
  }
  return [
    { name: "199 scores, asked again", run: repeat(() => kept), validate: () => answer(kept) },
    { name: "199 scores, dataset opened anew (opening included)", run: repeat(open), validate: () => answer(open()) },
  ]
}
