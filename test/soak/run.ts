/**
 * `npx node test/soak/run.ts`: does every delivery arrive, whatever is killed?
 *
 * On SQLite with one dispatcher and on PostgreSQL with three, each killed and started again at seeded moments. Prints what came out, and ends
 * with 1 when anything is lost, comes under another id, too early, or with a signature that is wrong, or when a node answers by older data after an event. Then nodes of this version
 * and of an earlier commit are replaced forth and back, while clocks jump and an installation is refused (`upgrades.ts`). Arguments: `--events N`, `--subscriptions N`, `--devices N`,
 * `--kills N`, `--seed N`, `--rounds N` and `--older COMMIT` (of the upgrades), `--only sqlite|postgres`, `--part dispatchers|upgrades`, `--postgres URL` (else one is started for the run).
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { Effect } from "effect"
import { bundleCommit, bundleProgram } from "../cli/bundle.ts"
import { startPostgres } from "../storage/postgres-server.ts"
import { runStatements } from "../storage/run-statements.ts"
import { readAfterEvents } from "./read-after-event.ts"
import { type SoakReport, soak } from "./soak.ts"
import { soakUpgrades } from "./upgrades.ts"

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "100" },
    subscriptions: { type: "string", default: "100" },
    devices: { type: "string", default: "100" },
    kills: { type: "string", default: "20" },
    seed: { type: "string", default: "20261121" },
    rounds: { type: "string", default: "3" },
    older: { type: "string", default: "HEAD~1" },
    only: { type: "string" },
    part: { type: "string" },
    postgres: { type: "string" },
  },
})
const options = {
  events: Number(values.events),
  subscriptions: Number(values.subscriptions),
  devices: Number(values.devices),
  kills: Number(values.kills),
  seed: Number(values.seed),
  leaseMs: 9_000,
  timeoutMs: 4_000,
}

const describe = (engine: string, report: SoakReport): string => {
  const { attempts, faults } = report
  const byAttempts = attempts.flatMap((count, attempt) => (count === 0 ? [] : [`${attempt}: ${count}`])).join(", ")
  return [
    engine,
    `  deliveries                          ${report.delivered + report.undelivered} of ${options.events * options.subscriptions}: ${report.delivered} delivered, ${report.undelivered} given up after the tenth attempt`,
    `  by attempts                         ${byAttempts}`,
    `  requests that the receiver had      ${report.requests}, each verified in three styles`,
    `  signed after a rotation             by both secrets ${report.rotated.both}, by the new one alone ${report.rotated.newOnly}`,
    `  older installation after a newer    ${report.olderAfterNewer}, told by the number in the envelope`,
    `  pushes that devices took            ${report.pushes}`,
    `  dispatchers killed                  ${report.kills}`,
    `  repeated after a kill, same id      ${report.repeatedAfterKills}, of which ${report.repeatedUnanswered} the receiver had let hang`,
    `  repeated on a new connection        ${report.repeatedAtOnce}`,
    `  repeated because a claim ran out    ${report.repeatedOtherwise}`,
    `  attempts that never reached it      ${report.unseen}`,
    `  took                                ${report.seconds.toFixed(0)} s, the clock was moved by ${report.movedHours.toFixed(1)} hours`,
    `  lost, too early or otherwise wrong  ${faults.length}`,
    ...faults.slice(0, 20).map(fault => `    ${fault}`),
  ].join("\n")
}

const folder = mkdtempSync(join(tmpdir(), "landfall-soak-"))
let isWrong = false
const report = (engine: string, report: SoakReport) => {
  isWrong ||= report.faults.length > 0 || report.kills < options.kills
  console.log(describe(engine, report))
}
/** Asks every node at each event; a node is killed half-way. */
const reportReads = async (databaseUrl: string, nodes: number) => {
  const { events, answers, late, faults } = await readAfterEvents({
    databaseUrl,
    nodes,
    installations: 6,
    changes: 100,
  })
  isWrong ||= faults.length > 0
  console.log(
    [
      `  read after an event                 ${events} events, at each of which ${nodes} nodes were asked at once: ${answers - faults.length} of ${answers} answers by the new data, one node killed`,
      ...[...late, ...faults.slice(0, 20)].map(line => `    ${line}`),
      "",
    ].join("\n"),
  )
}

let older: string | undefined
/** Replaces nodes by those of another version and back. */
const reportUpgrades = async (databaseUrl: string) => {
  older ??= bundleCommit(values.older)
  const newer = bundleProgram("newer-bin")
  const { rounds, seed } = { rounds: Number(values.rounds), seed: options.seed }
  const found = await soakUpgrades({ databaseUrl, older, newer, rounds, webhooks: 5, changes: 200, seed })
  isWrong ||= found.faults.length > 0
  console.log(
    [
      `  two versions, ${values.older} and this one`,
      `  deliveries                          ${found.deliveries}, repeated under the same id ${found.repeated}`,
      `  checks                              ${found.checks}`,
      `  nodes replaced, and killed          ${found.replaced}, ${found.kills}`,
      `  jumps of a clock by three days      ${found.jumps}`,
      `  installations that nobody can open  ${found.refused}`,
      `  took                                ${found.seconds.toFixed(0)} s`,
      `  lost, wrong, or not answered 200    ${found.faults.length}`,
      ...found.faults.slice(0, 20).map(fault => `    ${fault}`),
      "",
    ].join("\n"),
  )
}
const has = (part: string) => (values.part ?? part) === part

console.log(
  `commit ${execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim()}, node ${process.version}`,
)
console.log(
  `${options.events} events to ${options.subscriptions} subscriptions and ${options.devices} devices, ${options.kills} kills, seed ${options.seed}; claims hold ${options.leaseMs / 1_000} s, the receiver has ${options.timeoutMs / 1_000} s\n`,
)
try {
  if (values.only !== "postgres") {
    if (has("dispatchers")) {
      const databaseUrl = `file:${join(folder, "soak.db")}`
      report("SQLite, one dispatcher", await Effect.runPromise(soak({ ...options, databaseUrl, dispatchers: 1 })))
      await reportReads(`file:${join(folder, "nodes.db")}`, 2)
    }
    if (has("upgrades")) await reportUpgrades(`file:${join(folder, "upgrades.db")}`)
  }
  if (values.only !== "sqlite") {
    const server = values.postgres === undefined ? await startPostgres({ isDurable: true }) : null
    try {
      const maintenance = values.postgres ?? (server?.urlOf("postgres") as string)
      const inNewDatabase = async (name: string, work: (databaseUrl: string) => Promise<void>) => {
        await Effect.runPromise(runStatements(maintenance, [`CREATE DATABASE ${name}`]))
        const url = new URL(maintenance)
        url.pathname = `/${name}`
        await work(url.href)
        await Effect.runPromise(runStatements(maintenance, [`DROP DATABASE ${name} WITH (FORCE)`]))
      }
      if (has("dispatchers")) {
        await inNewDatabase(`landfall_soak_${process.pid}`, async databaseUrl =>
          report(
            "PostgreSQL, three dispatchers",
            await Effect.runPromise(soak({ ...options, databaseUrl, dispatchers: 3 })),
          ),
        )
        await inNewDatabase(`landfall_nodes_${process.pid}`, databaseUrl => reportReads(databaseUrl, 3))
      }
      if (has("upgrades")) await inNewDatabase(`landfall_upgrades_${process.pid}`, reportUpgrades)
    } finally {
      await server?.stop()
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = isWrong ? 1 : 0
