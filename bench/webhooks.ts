/**
 * `npm run bench -- webhooks`: how many deliveries a second are sent, each saved before and after, and how long does it take until all subscribers have the events of a new dataset?
 *
 * The limit is a bare loop of signed `fetch` calls without a database, in turns with it in the same run. The receiver is one process, the sender another; both databases sync to the disk
 * at a commit. Each round gives one ratio; their median and its interval are printed. After every run the receiver must have had every delivery once, and the database must agree.
 * Arguments: `--rounds N`, `--deliveries N`, `--subscriptions N`, `--installs N` (rounds of the installation), `--postgres URL` (else one is started for the run), `--only
 * bare,sqlite,postgres`.
 */
import { loadavg } from "node:os"
import { parseArgs } from "node:util"
import { embeddedDataset } from "../src/index.ts"
import { alternate, describeRatio, describeRun, option, range } from "./measure.ts"
import { bundleProgram, makeDatabases, POSTGRES_OPTION, startProcess } from "./processes.ts"

const { values } = parseArgs({
  options: {
    rounds: option(7, 1),
    deliveries: option(12_000, 200),
    subscriptions: option(100, 5),
    installs: option(1),
    changes: option(2_935, 50),
    postgres: POSTGRES_OPTION,
    only: option("bare,sqlite,postgres"),
  },
})
const ROUNDS = Number(values.rounds)
const INSTALLS = Number(values.installs)
const only = values.only.split(",")

/** The figures of a sending process. */
interface Measured {
  readonly deliveries: number
  readonly seconds: number
  readonly cpuSeconds: number
  readonly residentBytes: number
}

const PROGRAM = bundleProgram("webhooks-process")
const receiver = startProcess(PROGRAM, ["receive"])
const { url: receiverUrl } = await receiver.read<{ url: string }>()

/** Runs a sender; checks that the receiver had everything once, beside the pings of new subscriptions. */
async function send(mode: string, databaseUrl: string, given: { deliveries: string; subscriptions: string }) {
  const sender = startProcess(PROGRAM, [mode, receiverUrl, databaseUrl, given.deliveries, given.subscriptions])
  const measured = await sender.read<Measured>()
  await sender.whenEnded()
  receiver.tell("count")
  const { requests, deliveries } = await receiver.read<{ requests: number; deliveries: number }>()
  const expected = measured.deliveries + (mode === "bare" ? 0 : Number(given.subscriptions))
  if (requests !== expected || deliveries !== expected) {
    throw new Error(`${mode}: ${expected} were sent, the receiver had ${requests}, of which ${deliveries} differ`)
  }
  return measured
}

const engines = await makeDatabases(values.postgres, { isDurable: true })

interface Case {
  readonly key: string
  readonly name: string
  readonly run: () => Promise<Measured>
  readonly rounds: Measured[]
}
const makeCase = (key: string, name: string, run: Case["run"]): Case => ({ key, name, run, rounds: [] })
const bare = makeCase("bare", "bare loop of signed fetch calls", () => send("bare", "", values))
/** The cases of the selected engines. */
const onEngines = (mode: string, given: Parameters<typeof send>[2]) =>
  (["sqlite", "postgres"] as const).map(key =>
    makeCase(key, key === "sqlite" ? "SQLite" : "PostgreSQL", () => engines[key](url => send(mode, url, given))),
  )
const isAsked = ({ key }: Case) => only.includes(key)
const cases = [bare, ...onEngines("dispatch", values)].filter(isAsked)
const installs = onEngines("install", { ...values, deliveries: values.changes }).filter(isAsked)

const loads: number[] = []
try {
  await alternate(cases, ROUNDS, async ({ run, rounds }) => {
    rounds.push(await run())
    if (cases.every(one => one.rounds.length === rounds.length)) loads.push(loadavg()[0] as number)
  })
  for (let round = 0; round < INSTALLS; round++) for (const { run, rounds } of installs) rounds.push(await run())
} finally {
  await engines.stop()
  receiver.child.kill()
}

const perSecond = ({ deliveries, seconds }: Measured) => deliveries / seconds
const cpuUs = ({ deliveries, cpuSeconds }: Measured) => (cpuSeconds / deliveries) * 1e6
const megabytes = ({ residentBytes }: Measured) => residentBytes / 2 ** 20

const describeCase = ({ name, rounds }: Case): string =>
  [
    name,
    `  deliveries a second                ${range(rounds.map(perSecond), 0)}`,
    `  CPU of the sender for one, µs      ${range(rounds.map(cpuUs), 0)}`,
    `  most memory of the sender, MB      ${range(rounds.map(megabytes), 0)}`,
  ].join("\n")

const lines = describeRun(embeddedDataset().version)
if (ROUNDS > 0) {
  lines.push(
    `${ROUNDS} rounds of ${values.deliveries} deliveries to ${values.subscriptions} subscriptions of one receiver on this machine`,
    `load average of the machine after each round: ${loads.map(load => load.toFixed(1)).join(", ")}`,
    "",
    ...cases.map(describeCase),
  )
}
const others = cases.filter(one => one !== bare && bare.rounds.length > 0)
if (others.length > 0) {
  const compare = (measure: (ours: Measured, peer: Measured) => number) =>
    others.map(({ name, rounds }) =>
      describeRatio(
        name,
        rounds.map((one, at) => measure(one, bare.rounds[at] as Measured)),
      ),
    )
  lines.push("", "deliveries a second against the bare loop, round by round")
  lines.push(...compare((ours, peer) => perSecond(ours) / perSecond(peer)))
  lines.push("", "deliveries for a second of the sender's processor against the bare loop, round by round")
  lines.push(...compare((ours, peer) => cpuUs(peer) / cpuUs(ours)))
}
if (INSTALLS > 0) {
  lines.push(
    "",
    `from an installation of ${values.changes} changes to the last delivery to ${values.subscriptions} subscriptions`,
  )
  for (const { name, rounds } of installs) {
    const seconds = range(
      rounds.map(one => one.seconds),
      1,
    )
    lines.push(
      `  ${name.padEnd(12)} ${rounds[0]?.deliveries} deliveries in ${seconds} s: ${range(rounds.map(perSecond), 0)} a second, ${range(rounds.map(cpuUs), 0)} µs of CPU for one, at most ${range(rounds.map(megabytes), 0)} MB`,
    )
  }
}
console.log(lines.join("\n"))
