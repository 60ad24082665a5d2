import fc from "fast-check"
import { assert, describe, it } from "vitest"
import {
  type ClassNames,
  FairQueue,
  LARGE_AT_ONCE,
  MOST_OPEN,
  MOST_WAITING,
  type Place,
  SLICE_BESIDE_ACCOUNTS_MS,
  SLICE_MS,
  WEIGHT_OF_ACCOUNT,
} from "../../adapters/http/pipeline/fair-queue.ts"

/** A queue on a clock that only pieces of work move, and on rounds that are run one by one. */
function openQueue() {
  let nowMs = 0
  let rounds: (() => void)[] = []
  const readMs = () => nowMs
  const queue = new FairQueue({ readCpuMs: readMs, readClockMs: readMs, inRound: work => void rounds.push(work) })
  const begun: string[] = []
  /** Enters a request whose only piece takes some time. */
  const ask = (name: string, names: ClassNames, costMs: number, work: (place: Place) => void = () => {}) => {
    const place = queue.open(names)
    const turn = queue.enter(place)
    const begin = () => {
      begun.push(name)
      work(place)
      nowMs += costMs
    }
    if (turn === undefined) begin()
    else void turn?.then(begin)
    return { place, isRefused: turn === null }
  }
  const runRounds = async (most = 10_000) => {
    for (let round = 0; round < most && rounds.length > 0; round++) {
      const works = rounds
      rounds = []
      for (const work of works) {
        work()
        for (let at = 0; at < 5; at++) await Promise.resolve()
      }
    }
  }
  /** Uses up the slice, so that what comes next has to wait. */
  const occupy = () => ask("first", ["0.0.0.0/24", "0.0.0.0"], 100)
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { queue, begun, ask, runRounds, occupy, pass }
}

const stranger = (wide: number, narrow: number): ClassNames => [
  `2001:db8:${wide}::/48`,
  `2001:db8:${wide}:${narrow}::/64`,
]

interface Asked {
  readonly names: ClassNames
  readonly costMs: number
}

const someAsked = fc.array(
  fc.record({
    names: fc.oneof(
      fc.integer({ min: 1, max: 3 }),
      fc
        .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 }))
        .map(([wide, narrow]) => stranger(wide, narrow)),
    ),
    costMs: fc.integer({ min: 1, max: 10 }),
  }),
  { minLength: 1, maxLength: 60 },
)

const listPath = (names: ClassNames): readonly string[] =>
  typeof names === "number" ? [`account ${names}`] : ["strangers", ...names]

/** The order by the rule alone: level by level the class that has used least, by its weight; of equals the first that asked. */
function orderSlowly(asked: readonly Asked[]): number[] {
  const left = asked.map((one, at) => ({ ...one, at }))
  const done: Asked[] = []
  const order: number[] = []
  const measureUsed = (path: readonly string[]) => {
    const own = done.filter(({ names }) => path.every((name, level) => listPath(names)[level] === name))
    const sum = own.reduce((ms, { costMs }) => ms + costMs, 0)
    return path[0] === "strangers" ? sum : sum / WEIGHT_OF_ACCOUNT
  }
  while (left.length > 0) {
    let path: readonly string[] = []
    let here = left
    for (let level = 0; ; level++) {
      // Of equals the first that ever asked.
      const waiting = new Set(here.map(({ names }) => listPath(names)[level]))
      const names = [...new Set(asked.map(({ names }) => listPath(names)[level]))].filter(
        (name): name is string => name !== undefined && waiting.has(name),
      )
      if (names.length === 0) break
      const least = names.reduce((best, name) =>
        measureUsed([...path, name]) < measureUsed([...path, best]) ? name : best,
      )
      path = [...path, least]
      here = here.filter(({ names }) => listPath(names)[level] === least)
    }
    const next = here[0] as (typeof left)[number]
    order.push(next.at)
    done.push(next)
    left.splice(left.indexOf(next), 1)
  }
  return order
}

describe("the order of waiting requests", () => {
  it("is that of the class that has used least, level by level", async () => {
    await fc.assert(
      fc.asyncProperty(someAsked, async asked => {
        const { begun, ask, runRounds } = openQueue()
        // An account of its own keeps the loop busy while the others arrive.
        ask("busy", 99, 100)
        for (const [at, { names, costMs }] of asked.entries()) ask(String(at), names, costMs)
        await runRounds()
        assert.deepStrictEqual(begun.slice(1).map(Number), orderSlowly(asked))
      }),
    )
  })

  it("leaves no request out, and charges what was used, no more and no less", async () => {
    await fc.assert(
      fc.asyncProperty(someAsked, async asked => {
        const { queue, begun, ask, runRounds } = openQueue()
        for (const [at, { names, costMs }] of asked.entries()) ask(String(at), names, costMs)
        await runRounds()
        assert.strictEqual(new Set(begun).size, asked.length)
        assert.strictEqual(queue.waitingCount, 0)
        const sum = (all: readonly Asked[]) => all.reduce((ms, { costMs }) => ms + costMs, 0)
        const strangers = asked.filter(({ names }) => typeof names !== "number")
        assert.closeTo(queue.usedMs.all, sum(asked), 1e-6)
        assert.closeTo(queue.usedMs.strangers, sum(strangers), 1e-6)
      }),
    )
  })

  it("gives each class its share as long as all ask for more", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        async (ofAccount, ofStranger) => {
          const { begun, ask, runRounds } = openQueue()
          ask("busy", 99, 100)
          for (let at = 0; at < 100; at++) {
            ask("account", 1, ofAccount)
            ask("stranger", stranger(1, 1), ofStranger)
          }
          await runRounds()
          let [account, strangers] = [0, 0]
          for (const name of begun.slice(1, 101)) {
            if (name === "account") account += ofAccount
            else strangers += ofStranger
            assert.isAtMost(Math.abs(account / WEIGHT_OF_ACCOUNT - strangers), Math.max(ofAccount, ofStranger))
          }
        },
      ),
    )
  })

  it("has a caller who pays before every stranger who waits, however many they are", async () => {
    const { begun, ask, runRounds, occupy } = openQueue()
    occupy()
    for (let at = 0; at < 200; at++) ask("stranger", stranger(at, 1), 5)
    await runRounds(3)
    const before = begun.length
    ask("paying", 1, 1)
    await runRounds()
    assert.isAtMost(begun.indexOf("paying") - before, 0)
    assert.lengthOf(begun, 202)
  })

  it("counts the holder of a /48 as one, whatever addresses it uses", async () => {
    const { begun, ask, runRounds, occupy } = openQueue()
    occupy()
    for (let at = 0; at < 200; at++) ask("holder", stranger(1, at), 5)
    for (let at = 0; at < 5; at++) ask("other", stranger(2, 1), 5)
    await runRounds()
    assert.isAtMost(begun.lastIndexOf("other"), 11)
  })

  it("owes nothing to a class for the time in which it asked for nothing", async () => {
    const { begun, ask, runRounds } = openQueue()
    for (let at = 0; at < 100; at++) {
      ask("early", stranger(1, 1), 10)
      await runRounds()
    }
    begun.length = 0
    ask("busy", 99, 100)
    for (let at = 0; at < 20; at++) {
      ask("early", stranger(1, 1), 10)
      ask("late", stranger(2, 1), 10)
    }
    await runRounds()
    const firstTen = begun.slice(1, 11)
    assert.isAtLeast(firstTen.filter(name => name === "early").length, 4)
  })
})

describe("requests under way", () => {
  it.each<[what: string, level: number, names: (at: number) => ClassNames, others: ClassNames]>([
    ["a /64", 3, () => stranger(1, 1), stranger(1, 2)],
    ["a /48", 2, at => stranger(1, at), stranger(2, 1)],
    ["all strangers", 1, at => stranger(at, 1), 1],
  ])("are so many at most of %s, and others are not held up", async (_, level, names, others) => {
    const { queue, begun, ask, runRounds } = openQueue()
    const most = MOST_OPEN[level] as number
    const open: Place[] = []
    for (let at = 0; at <= most; at++) {
      ask(String(at), names(at), 0, place => {
        queue.keepOpen(place)
        open.push(place)
      })
    }
    await runRounds()
    assert.lengthOf(begun, most)
    ask("other", others, 0)
    await runRounds()
    assert.strictEqual(begun.at(-1), "other")
    queue.end(open[0] as Place)
    await runRounds()
    assert.strictEqual(begun.at(-1), String(most))
    for (const place of open) queue.end(place)
  })

  it("go on before the new ones of their class, and are not refused", async () => {
    const { queue, ask, runRounds, begun, occupy } = openQueue()
    const { place } = ask("a", stranger(1, 1), 0, entered => queue.keepOpen(entered))
    ask("b", stranger(1, 1), 0, entered => queue.keepOpen(entered))
    occupy()
    ask("c", stranger(1, 1), 0)
    let isResumed = false
    void Promise.resolve(queue.resume(place)).then(() => {
      isResumed = true
    })
    await runRounds()
    assert.isTrue(isResumed)
    assert.notInclude(begun, "c")
    queue.end(place)
    await runRounds()
    assert.include(begun, "c")
  })

  it("make few large answers at once", async () => {
    const { queue, runRounds } = openQueue()
    const places = Array.from({ length: LARGE_AT_ONCE + 2 }, (_, at) => queue.open(at))
    const large: Place[] = []
    for (const place of places) void Promise.resolve(queue.resume(place, true)).then(() => large.push(place))
    await runRounds()
    assert.lengthOf(large, LARGE_AT_ONCE)
    queue.endLarge(large[0] as Place)
    await runRounds()
    assert.lengthOf(large, LARGE_AT_ONCE + 1)
  })

  it("of an account begin at once though strangers have used up the round, in which no other stranger begins", async () => {
    const { ask, begun, runRounds } = openQueue()
    ask("first", stranger(1, 1), SLICE_MS)
    ask("second", stranger(2, 1), 1)
    ask("account", 7, SLICE_MS)
    // It has used up a round of its own.
    ask("other account", 8, 1)
    assert.deepStrictEqual(begun, ["first", "account"])
    await runRounds()
    assert.deepStrictEqual(begun, ["first", "account", "other account", "second"])
  })

  it("of strangers have their turn though an account asks without a break: while they wait, they pay for nobody", async () => {
    const { queue, ask, begun, pass, runRounds } = openQueue()
    const { place } = ask("stranger", stranger(1, 1), 10, entered => queue.keepOpen(entered))
    for (let at = 0; at < 50; at++) ask("account", 7, 5)
    void Promise.resolve(queue.resume(place)).then(() => begun.push("resumed"))
    for (let round = 0; round < 50; round++) {
      // Time that is no request's, such as that of the collection of garbage.
      pass(4)
      await runRounds(1)
    }
    // The account has used so much by then that it was charged more than the stranger.
    assert.approximately(begun.indexOf("resumed"), (10 * WEIGHT_OF_ACCOUNT) / 5, 3)
    queue.end(place)
  })

  it("of strangers begin in the next round after one that an account has filled", async () => {
    const { ask, begun, runRounds } = openQueue()
    ask("account", 7, SLICE_MS)
    ask("stranger", stranger(1, 1), 1)
    assert.deepStrictEqual(begun, ["account"])
    await runRounds(1)
    assert.deepStrictEqual(begun, ["account", "stranger"])
  })

  it("give way only after a slice", async () => {
    const { queue, pass, runRounds } = openQueue()
    const place = queue.open(1)
    assert.isUndefined(queue.enter(place))
    assert.isUndefined(queue.giveWay(place))
    pass(10)
    const turn = queue.giveWay(place)
    assert.instanceOf(turn, Promise)
    await runRounds()
    await turn
  })

  it("of strangers give way sooner as long as an account asks", () => {
    const { queue, ask, pass } = openQueue()
    const givesWay = () => {
      const place = queue.open(stranger(1, 1))
      queue.enter(place)
      pass(SLICE_BESIDE_ACCOUNTS_MS)
      const turn = queue.giveWay(place)
      queue.end(place)
      return turn !== undefined
    }
    assert.isFalse(givesWay())
    ask("account", 7, 0)
    assert.isTrue(givesWay())
  })
})

describe("too many waiting requests", () => {
  it("of one client are refused, and another client's are not", () => {
    const { ask, occupy } = openQueue()
    occupy()
    const own = Array.from({ length: MOST_WAITING.client + 1 }, () => ask("own", stranger(1, 1), 1))
    assert.deepStrictEqual(own.map(({ isRefused }) => isRefused).lastIndexOf(false), MOST_WAITING.client - 1)
    assert.isFalse(ask("other", stranger(1, 2), 1).isRefused)
  })

  it("of thousands of networks take bounded memory, and all are answered", async () => {
    const { begun, ask, runRounds } = openQueue()
    for (let at = 0; at < 3_000; at++) {
      ask(String(at), stranger(at, 1), 1)
      if (at % 100 === 0) await runRounds()
    }
    await runRounds()
    assert.lengthOf(begun, 3_000)
  })
})
