/**
 * `landfall backup`, `restore` and `migrate`: a deployment's database as one file and back, and its tables changed to those of this version.
 * `landfall dataset install` and `rollback`: changes the dataset that a running deployment answers from, and writes the events of the difference.
 * `landfall spots …`: replaces the spots that ship with the package by the operator's own.
 */
import { Effect } from "effect"
import type { Dataset } from "../../src/engine.ts"
import { toWire } from "../answers/wire-names.ts"
import { chooseEvents } from "../events/followers/fan-out.ts"
import { concerns, parseTerms } from "../events/followers/subscription.ts"
import { type Installed, installDataset, rollBack } from "../events/install-dataset.ts"
import { readSetting } from "../settings/config.ts"
import { settings } from "../settings/settings.ts"
import { importSpots, resetSpots } from "../spots/import-spots.ts"
import { readSpotsFile } from "../spots/read-file.ts"
import { backUp, restore as restoreFile } from "../storage/backup.ts"
import { migrateDatabase } from "../storage/migrations.ts"
import type { Storage } from "../storage/storage.ts"
import { argument, isSet, makeCommand, printAnswer, type Running } from "./command.ts"
import { runEffect } from "./effects.ts"
import { failed } from "./failure.ts"
import { nameCount, readDatasetBytes, readText } from "./inputs.ts"
import { openConfigured, openDeployment } from "./operator-deployment.ts"
import { layOutRecord } from "./print.ts"

/** Does something with the database that the environment names. */
const onDatabase = <Done, Error extends { readonly message: string }>(
  at: Running,
  work: (url: string) => Effect.Effect<Done, Error>,
) => runEffect(at, Effect.flatMap(readSetting(settings.rows.databaseUrl), work))

export const backup = makeCommand("backup", {
  examples: { "landfall backup landfall-backup.db": "In place of an older backup of this name" },
  takes: { file: argument("The file to write") },
  async run({ file }, at) {
    const json = toWire({ file, ...(await onDatabase(at, url => backUp(url, file))) })
    const note =
      "It was opened and is whole. The secret is not in it. Keep it apart: LANDFALL_SECRET, or the file that ends with .secret beside the database."
    return { json, note }
  },
})

export const restore = makeCommand("restore", {
  examples: { "landfall restore landfall-backup.db": "Into the database that LANDFALL_DATABASE_URL names" },
  takes: { file: argument("A file of landfall backup") },
  async run({ file }, at) {
    const json = toWire({ file, ...(await onDatabase(at, url => restoreFile(file, url))) })
    const note = "Start the service with the secret of the backup. Blocks of requests that nodes held count as used."
    return { json, note }
  },
})

export const migrate = makeCommand("migrate", {
  about:
    "Change the tables of the database to those of this version. A step that removes something waits until no older node is alive: run it again then",
  examples: {
    "landfall migrate --check":
      "Say what would be done; exits with 4 if this version cannot use the tables as they are",
    "landfall migrate": "Before the nodes of a new version start, and once more when the old ones have ended",
  },
  takes: { check: isSet("Only say what would be done") },
  async run({ check, json }, at) {
    const { applied, next, state, label } = await onDatabase(at, url => migrateDatabase(url, { isCheck: check }))
    const older = next?.older ?? []
    const isUsable = state === "current"
    const said =
      next === undefined
        ? `The tables of ${label} are those of this version.`
        : older.length > 0
          ? `Step ${next.number}, "${next.step.name}", waits until ${nameCount(older.length, "older node has", "older nodes have")} ended: ${older.map(({ id, version }) => `${id} (${version})`).join(", ")}.`
          : `Step ${next.number}, "${next.step.name}", is to be applied to ${label}.`
    const answer = {
      json: toWire({
        applied,
        next: next === undefined ? null : { number: next.number, name: next.step.name, waitsFor: older },
        isUsable,
      }),
      text: [...applied.map(name => `applied: ${name}`), said],
    }
    if (isUsable) return answer
    printAnswer(at, answer, json)
    const message = "this version cannot use the database as it is: run landfall migrate"
    throw failed(message, { code: "other_version", hasAnswered: true })
  },
})

const dryRun = isSet("Say what would change and who would be notified, and change nothing")

/** Runs an installation or a rollback, and says what it does and whom it notifies. */
async function carryOut(
  at: Running,
  isDryRun: boolean,
  work: (configured: Dataset) => Effect.Effect<Installed, { readonly message: string }, Storage>,
) {
  const { run, storage } = await openDeployment(at)
  const { before, after, changes, announced, installationId, passedOver, events } = await run(
    work(await openConfigured(at)),
  )
  const sent = events.filter(event => event.is_correction === 0)
  const devices = (await run(storage.devices.listFollowing(chooseEvents(sent)))).size
  const told = (await run(storage.webhooks.listActive)).map(({ id, account_id, url, terms }) => {
    const parsed = parseTerms(terms)
    return { webhook: id, account: account_id, url, events: sent.filter(event => concerns(parsed, event)).length }
  })
  const json = toWire({
    isDryRun,
    installation: installationId,
    before,
    after,
    notCompared: passedOver,
    changes: changes.map(({ passport, destination, kind, fields, severity, effectiveFrom }) => ({
      passport,
      destination,
      kind,
      fields,
      severity,
      effectiveFrom,
    })),
    announced: announced.length,
    told: told.filter(each => each.events > 0),
    devices,
  })
  const major = changes.filter(({ severity }) => severity === "major").length
  const counts = `${nameCount(changes.length, "policy changes", "policies change")}, ${major} of them majorly.`
  const what = passedOver === null ? counts : `What changes is not known, because ${passedOver}`
  const said = `${before} → ${after}: ${isDryRun ? "would be installed" : "is installed"}. ${what}`
  return { json, text: [said, ...layOutRecord({ announced: json.announced, devices, told: json.told })] }
}

export const install = makeCommand("dataset install", {
  examples: { "landfall dataset install new.landfall --dry-run": "Say what would change and who would be notified" },
  takes: {
    file: argument("A dataset file"),
    dryRun,
    correction: isSet("It corrects data and no law has changed: nobody is notified"),
    force: isSet("Install a dataset that is older than the current one"),
  },
  run({ file, dryRun, correction, force }, at) {
    const bytes = readDatasetBytes(file, at)
    const options = { isDryRun: dryRun, isCorrection: correction, isForced: force }
    return carryOut(at, dryRun, configured =>
      Effect.mapError(installDataset(configured, bytes, options), ({ message }) => failed(`${file}: ${message}`)),
    )
  },
})

export const rollback = makeCommand("dataset rollback", {
  examples: { "landfall dataset rollback --dry-run": "Say what would change" },
  takes: { dryRun },
  run: ({ dryRun }, at) => carryOut(at, dryRun, configured => rollBack(configured, { isDryRun: dryRun })),
})

export const importCommand = makeCommand("spots import", {
  examples: { "landfall spots import spots.geojson --dry-run": "Say what would change" },
  takes: {
    file: argument("GeoJSON (a feature collection of points) or CSV with a line of column names"),
    replace: isSet("Remove all other spots, also those that ship with the package"),
    dryRun: isSet("Say what would change, and change nothing"),
  },
  async run({ file, replace, dryRun }, at) {
    const importedAt = `${new Date().toISOString().slice(0, 19)}Z`
    const read = readSpotsFile(readText(file, at), importedAt)
    if (!read.ok) {
      const more = read.issueCount - read.issues.length
      const mistakes = read.issues.map(
        ({ line, field, message }) => `${file}:${line}: ${field === null ? "" : `${field}: `}${message}`,
      )
      throw failed(
        [...mistakes, ...(more === 0 ? [] : [`and ${more} more mistakes`]), "Nothing was imported."].join("\n"),
      )
    }
    const { run } = await openDeployment(at)
    const imported = await run(importSpots(read.spots, { isReplacing: replace, isDryRun: dryRun, importedAt }))
    return { json: toWire({ isDryRun: dryRun, ...imported, passedOver: read.passedOver }) }
  },
})

export const reset = makeCommand("spots reset", {
  examples: { "landfall spots reset": "Remove your own spots" },
  takes: {},
  async run(_, at) {
    const { run } = await openDeployment(at)
    const removed = await run(resetSpots)
    const done = `${removed} spots are removed; those that ship with the package are used again.`
    return { json: { removed }, text: [removed === 0 ? "There were no spots of your own." : done] }
  },
})
