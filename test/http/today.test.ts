import { assert, describe, it } from "vitest"
import { makeTodayView } from "../../adapters/answers/today.ts"
import { embeddedDataset, formatCivilDate } from "../../src/index.ts"
import { startTestService } from "./service.ts"

const dataset = embeddedDataset()
const MS_PER_DAY = 86_400_000

const answerAt = (index: number | undefined) => {
  const answer = dataset.answers[index as number]
  return answer?.kind === "found" ? [answer.requirement, answer.days] : []
}

/** A pair whose requirement or days change on a day, and that day. */
function findChange() {
  const width = dataset.destinations.length
  for (const [pair, steps] of dataset.timelines) {
    const day = steps[2]
    if (day === undefined || String(answerAt(steps[1])) === String(answerAt(steps[3]))) continue
    const passport = dataset.passports[Math.floor(pair / width)] as string
    return { pair, day, passport, destination: dataset.destinations[pair % width] as string, steps }
  }
  throw new Error("the dataset has no dated rule")
}

const { pair, day, passport, destination, steps } = findChange()
const midnight = day * MS_PER_DAY

describe("makeTodayView", () => {
  it("answers a dated rule from the first moment of its day, in UTC, and not before", () => {
    const today = makeTodayView(() => dataset)
    assert.strictEqual(today(midnight - 1).pairs[pair], steps[1])
    assert.strictEqual(today(midnight).pairs[pair], steps[3])
    assert.strictEqual(today(midnight - 1).pairs[pair], steps[1])
  })

  it("uses one view for a whole day", () => {
    const today = makeTodayView(() => dataset)
    assert.strictEqual(today(midnight), today(midnight + MS_PER_DAY - 1))
    assert.notStrictEqual(today(midnight), today(midnight + MS_PER_DAY))
    assert.strictEqual(today(midnight).asOf, formatCivilDate(day))
  })

  it("answers as of the dataset's day if the clock is before all known days", () => {
    assert.strictEqual(makeTodayView(() => dataset)(0), dataset)
  })
})

describe("a service that runs over midnight", () => {
  it("answers the rule of the day without a restart", async () => {
    await using running = await startTestService({ stoppedAt: midnight - 1 })
    const ask = async () => {
      const reply = await running.ask(`/api/v1/visa/check?passport=${passport}&destination=${destination}`)
      return [reply.read("requirement"), reply.read("visa_free_days")]
    }
    const [before, after] = [steps[1], steps[3]].map(answerAt)
    for (let asked = 0; asked < 3; asked++) assert.deepStrictEqual(await ask(), before)
    running.setTime(midnight)
    for (let asked = 0; asked < 3; asked++) assert.deepStrictEqual(await ask(), after)
  })
})
