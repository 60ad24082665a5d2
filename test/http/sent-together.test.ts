import { setImmediate as endOfTurn } from "node:timers/promises"
import { assert, describe, it } from "vitest"
import { MOST_TOGETHER, MOST_TOGETHER_MS, SentTogether } from "../../adapters/http/server/node-host.ts"

function openQueue() {
  let nowMs = 0
  const together = new SentTogether(() => nowMs)
  const sent: number[] = []
  const add = (count: number, from = 0) => {
    for (let at = from; at < from + count; at++) together.add({ send: () => sent.push(at) })
  }
  const passMs = (ms: number) => {
    nowMs += ms
    together.sendOld()
  }
  return { add, sent, passMs }
}

const countTo = (count: number) => Array.from({ length: count }, (_, at) => at)

describe("answers that are ready in one turn of the event loop", () => {
  it("are sent in order when the turn ends", async () => {
    const { add, sent } = openQueue()
    add(3)
    assert.deepStrictEqual(sent, [])
    await endOfTurn()
    assert.deepStrictEqual(sent, [0, 1, 2])
  })

  it("are sent at once when the maximum is reached, and the rest when the turn ends", async () => {
    const { add, sent } = openQueue()
    add(MOST_TOGETHER + 2)
    assert.deepStrictEqual(sent, countTo(MOST_TOGETHER))
    await endOfTurn()
    assert.deepStrictEqual(sent, countTo(MOST_TOGETHER + 2))
  })

  it("are sent before the turn ends where it is long", () => {
    const { add, sent, passMs } = openQueue()
    add(2)
    passMs(MOST_TOGETHER_MS / 2)
    assert.deepStrictEqual(sent, [])
    passMs(MOST_TOGETHER_MS / 2)
    assert.deepStrictEqual(sent, countTo(2))
  })

  it("are sent in every turn, each once", async () => {
    const { add, sent } = openQueue()
    for (let turn = 0; turn < 3; turn++) {
      add(2, turn * 2)
      await endOfTurn()
      assert.deepStrictEqual(sent, countTo(turn * 2 + 2))
    }
  })
})
