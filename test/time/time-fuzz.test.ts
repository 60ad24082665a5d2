import { globSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { share } from "../share.ts"
import { startFuzzedService } from "./fuzzed-service.ts"
import { fuzz, HEADERS, listProbes, listToolProbes, nameRow, type Probe, ROWS } from "./time-fuzz.ts"

const service = share(startFuzzedService)
/** A twelfth of them: of twelve that follow each other one, and each time another one. */
const some = (probes: readonly Probe[]) => probes.filter((_, at) => (at + Math.floor(at / 12)) % 12 === 0)
const expectQuick = async (probes: readonly Probe[]) => expect((await fuzz(service, some(probes))).faults).toEqual([])
const at = (wanted: string) => (probe: Probe) => probe.place === wanted

// `npm run test:time` tries everything, with every header and parameter on every row.
describe("no request holds the event loop for long, or takes more than n log n", () => {
  it("with anything in a header, on a row that reads it", async () => {
    const probes = Object.entries(HEADERS).map(([name, on]) => {
      const row = ROWS.find(each => nameRow(each) === on)
      return row === undefined ? [] : listProbes(row, [name]).filter(at(`header ${name}`))
    })
    expect(probes.filter(list => list.length === 0)).toEqual([])
    await expectQuick(probes.flat())
  })

  it("with anything in a parameter, on a row that takes it", async () => {
    const taken = new Map(ROWS.flatMap(row => Object.keys(row.parameters).map(name => [name, row] as const)))
    await expectQuick([...taken].flatMap(([name, row]) => listProbes(row, []).filter(at(`parameter ${name}`))))
  })

  it("with any body, and its refusal is short", async () => {
    await expectQuick(ROWS.flatMap(row => listProbes(row, []).filter(({ isBody }) => isBody)))
  })

  it("with any arguments of a tool, and its refusal is short", async () => {
    await expectQuick(await listToolProbes(service))
  })
})

it("every header that the service reads is tried", () => {
  const read = globSync("adapters/http/**/*.ts").flatMap(file =>
    [...readFileSync(file, "utf8").matchAll(/header\("([a-z0-9-]+)"\)/g)].map(([, name]) => name as string),
  )
  expect(new Set(read).size).toBeGreaterThan(10)
  // These say how the request is framed: Node reads them first.
  const framing = ["content-length", "host", "transfer-encoding"]
  expect([...new Set(read)].filter(name => !(name in HEADERS) && !framing.includes(name))).toEqual([])
})
