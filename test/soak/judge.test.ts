import { assert, describe, it } from "vitest"
import { judge, judgePushes } from "./judge.ts"
import type { Treatment } from "./plan.ts"

/** Judges one delivery: what came, as seconds and treatments, and what the database says. */
const judgeOne = (
  came: readonly (readonly [seconds: number, treatment: Treatment])[],
  state: string,
  attempt: number,
  killedAtSeconds: readonly number[] = [],
) =>
  judge({
    rows: [{ path: "/0", event_id: "evt_1", state, attempt }],
    received:
      came.length === 0
        ? []
        : [
            {
              path: "/0",
              eventId: "evt_1",
              bodyHash: "",
              installation: 1,
              receptions: came.map(([signedSeconds, treatment]) => ({ signedSeconds, treatment })),
            },
          ],
    expected: [{ path: "/0", eventId: "evt_1", installation: 1 }],
    killedAtSeconds,
    askedSeconds: 120,
    timeoutSeconds: 4,
    startedSeconds: 0,
  })

describe("what judges the soak", () => {
  it("accepts a delivery that kept the schedule", () => {
    const verdict = judgeOne(
      [
        [0, "refuse"],
        [30, "reset"],
        [330, "hang"],
        [2_130, "accept"],
      ],
      "delivered",
      4,
    )
    assert.deepInclude(verdict, { delivered: 1, requests: 4, repeatedAfterKills: 0, unseen: 0, faults: [] })
  })

  it("finds a lost delivery", () => {
    assert.deepStrictEqual(judgeOne([], "pending", 0).faults, ["/0 evt_1: lost, it is pending and never came"])
    assert.deepStrictEqual(judgeOne([[0, "refuse"]], "pending", 1).faults, [
      "/0 evt_1: is pending and was never accepted",
    ])
  })

  it("finds an attempt that came too early, also after a Retry-After", () => {
    const early = "/0 evt_1: 2 attempts are written, 1 were seen: "
    assert.deepStrictEqual(
      judgeOne(
        [
          [0, "refuse"],
          [28, "accept"],
        ],
        "delivered",
        2,
      ).faults,
      [`${early}refuse at 0, accept at 28`],
    )
    assert.deepStrictEqual(
      judgeOne(
        [
          [0, "ask to wait"],
          [32, "accept"],
        ],
        "delivered",
        2,
      ).faults,
      [`${early}ask to wait at 0, accept at 32`],
    )
    assert.deepStrictEqual(
      judgeOne(
        [
          [0, "ask to wait"],
          [119, "accept"],
        ],
        "delivered",
        2,
      ).faults,
      [],
    )
  })

  it("counts the same attempt after a kill as a repetition", () => {
    const soon = judgeOne(
      [
        [0, "refuse"],
        [7, "accept"],
      ],
      "delivered",
      1,
      [3],
    )
    assert.deepInclude(soon, { repeatedAfterKills: 1, repeatedUnanswered: 0, faults: [] })
    const hung = judgeOne(
      [
        [0, "hang"],
        [9, "accept"],
      ],
      "delivered",
      1,
      [3],
    )
    assert.deepInclude(hung, { repeatedAfterKills: 1, repeatedUnanswered: 1, faults: [] })
    const late = judgeOne(
      [
        [0, "refuse"],
        [40, "accept"],
      ],
      "delivered",
      1,
      [3],
    )
    assert.deepInclude(late, { repeatedAfterKills: 1, faults: [] })
    assert.deepStrictEqual(
      judgeOne(
        [
          [0, "refuse"],
          [40, "accept"],
        ],
        "delivered",
        1,
      ).faults,
      ["/0 evt_1: 1 attempts are written, 2 were seen: refuse at 0, accept at 40"],
    )
  })

  it("tells a request that went out again over a new connection from one whose claim ran out", () => {
    assert.deepInclude(
      judgeOne(
        [
          [0, "reset"],
          [0, "accept"],
        ],
        "delivered",
        1,
      ),
      { repeatedAtOnce: 1, faults: [] },
    )
    assert.deepInclude(
      judgeOne(
        [
          [0, "refuse"],
          [9, "accept"],
        ],
        "delivered",
        1,
      ),
      { repeatedOtherwise: 1, faults: [] },
    )
  })

  it("ignores an answer after the timeout", () => {
    const came = [
      [0, "ask to wait"],
      [34, "accept"],
    ] as const
    assert.deepStrictEqual(judgeOne(came, "delivered", 2).faults, [])
  })

  it("counts a late request as a later attempt if there was time for the earlier ones", () => {
    assert.deepStrictEqual(judgeOne([[31, "accept"]], "delivered", 2).faults, [])
    assert.deepStrictEqual(judgeOne([[28, "accept"]], "delivered", 2).faults, [
      "/0 evt_1: 2 attempts are written, 1 were seen: accept at 28",
    ])
  })

  it("finds a delivery that was given up before the tenth attempt, or after it was accepted", () => {
    assert.deepStrictEqual(judgeOne([[0, "refuse"]], "undelivered", 1).faults, ["/0 evt_1: was given up too early"])
    assert.deepStrictEqual(judgeOne([[0, "accept"]], "undelivered", 10).faults, [
      "/0 evt_1: is undelivered and was accepted",
      "/0 evt_1: 10 attempts are written, 1 were seen: accept at 0",
    ])
  })
})

describe("judgePushes", () => {
  const events = [
    { id: "evt_1", destination: "JPN", installation: 1 },
    { id: "evt_2", destination: "JPN", installation: 2 },
  ]
  const judged = (...taken: readonly (readonly [token: string, destination: string, eventId: string])[]) =>
    judgePushes({
      tokens: ["one"],
      events,
      taken: taken.map(([token, destination, eventId]) => ({ token, destination, eventId })),
    })

  it("accepts one push for each device and pair, also with the older event before it or twice", () => {
    assert.deepStrictEqual(judged(["one", "JPN", "evt_1"], ["one", "JPN", "evt_2"], ["one", "JPN", "evt_2"]), [])
  })

  it("finds a device without a push, or with the older event only, and a push of another pair", () => {
    assert.deepStrictEqual(judged(), ["one was not told of JPN"])
    assert.deepStrictEqual(judged(["one", "JPN", "evt_1"]), ["one was not told of JPN"])
    assert.deepStrictEqual(judged(["one", "BRA", "evt_2"], ["one", "JPN", "evt_2"]), [
      "one was sent evt_2 of BRA, which is not its event",
    ])
  })
})
