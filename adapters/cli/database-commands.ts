/**
 * `landfall backup`, `restore` and `migrate`: a deployment's database as one file and back, and its tables changed to those of this version.
 * `landfall dataset install` and `rollback`: changes the dataset that a running deployment answers from, and writes the events of the difference.
 * `landfall spots …`: replaces the spots that ship with the package by the operator's own.
 */
import { Clock, Console, Effect } from "effect"
import type { Dataset } from "../../src/engine.ts"
import { toWire } from "../answers/wire-names.ts"
import { chooseEvents } from "../events/followers/fan-out.ts"
import { concerns, parseTerms } from "../events/followers/subscription.ts"
import { type Installed, installDataset, openConfiguredDataset, rollBack } from "../events/install-dataset.ts"
import { readSetting } from "../settings/config.ts"
import { settings } from "../settings/settings.ts"
import { importSpots, resetSpots } from "../spots/import-spots.ts"
import { readSpotsFile } from "../spots/read-file.ts"
import { backUp, restore as restoreFile } from "../storage/backup.ts"
import { migrateDatabase } from "../storage/migrations.ts"
import { argument, isSet, makeCommand, printAnswer } from "./command.ts"
import { failCommand, failed } from "./failure.ts"
import { nameCount, readDatasetBytes, readText } from "./inputs.ts"
import { onDeployment } from "./operator-deployment.ts"
import { tableUnder } from "./print.ts"

/** The database that the environment names. */
const databaseUrl = readSetting(settings.rows.databaseUrl)

export const backup = makeCommand("backup", {
  examples: { "landfall backup landfall-backup.db": "In place of an older backup of this name" },
  takes: { file: argument("The file to write") },
  *run({ file }) {
    const made = yield* Effect.flatMap(databaseUrl, url => backUp(url, file)).pipe(Effect.mapError(failCommand))
    const counts = [
      nameCount(made.accounts, "account"),
      nameCount(made.rows, "row"),
      nameCount(made.bytes, "byte"),
    ].join(", ")
    return {
      json: toWire({ file, ...made }),
      text: [
        `${file}: ${made.label}, ${counts}; it was opened and is whole.`,
        "The secret is not in it. Keep it apart: LANDFALL_SECRET, or the file that ends with .secret beside the database.",
      ],
    }
  },
})

export const restore = makeCommand("restore", {
  examples: { "landfall restore landfall-backup.db": "Into the database that LANDFALL_DATABASE_URL names" },
  takes: { file: argument("A file of landfall backup") },
  *run({ file }) {
    const done = yield* Effect.flatMap(databaseUrl, url => restoreFile(file, url)).pipe(Effect.mapError(failCommand))
    return {
      json: toWire({ file, ...done }),
      text: [
        `${done.label}: ${nameCount(done.accounts, "account")} and ${nameCount(done.rows, "row")} are restored.`,
        "Start the service with the secret of the backup. Blocks of requests that nodes held count as used.",
      ],
    }
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
  *run({ check, json }) {
    const { applied, next, state, label } = yield* Effect.flatMap(databaseUrl, url =>
      migrateDatabase(url, { isCheck: check }),
    ).pipe(Effect.mapError(failCommand))
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
    yield* printAnswer(answer, json)
    const message = "this version cannot use the database as it is: run landfall migrate"
    throw failed(message, { code: "other_version", hasAnswered: true })
  },
})

/** The dataset that the deployment uses while nothing is installed, as `landfall serve` reads it. */
const openConfigured = Effect.flatMap(readSetting(settings.rows.datasetPath), openConfiguredDataset)

const dryRun = isSet("Say what would change and who would be notified, and change nothing")

/** Runs an installation or a rollback, and says what it does. */
const carryOut = <E extends { readonly message: string }, R>(
  work: (configured: Dataset) => Effect.Effect<Installed, E, R>,
  isDryRun: boolean,
) =>
  Effect.gen(function* () {
    const { installed, told, devices } = yield* onDeployment(({ storage }) =>
      Effect.gen(function* () {
        const installed = yield* work(yield* openConfigured)
        const followers = yield* storage.webhooks.listActive
        const sent = installed.events.filter(event => event.is_correction === 0)
        const devices = (yield* storage.devices.listFollowing(chooseEvents(sent))).size
        const told = followers.map(({ id, account_id, url, terms }) => {
          const parsed = parseTerms(terms)
          return { webhook: id, account: account_id, url, events: sent.filter(event => concerns(parsed, event)).length }
        })
        return { installed, told: told.filter(({ events }) => events > 0), devices }
      }),
    )
    const { before, after, changes, announced, installationId, passedOver } = installed
    const major = changes.filter(({ severity }) => severity === "major").length
    const verb = isDryRun ? "would be installed" : "is installed"
    const what =
      passedOver === null
        ? `${nameCount(changes.length, "policy changes", "policies change")}, ${major} of them majorly; ${nameCount(announced.length, "change is", "changes are")} announced.`
        : `What changes is not known, because ${passedOver}`
    const nobody = isDryRun ? "Nobody would be notified." : "Nobody is notified."
    return {
      json: toWire({
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
        told,
        devices,
      }),
      text: [
        `${before} → ${after}: ${verb}. ${what}`,
        ...(devices > 0 ? [`${nameCount(devices, "device follows", "devices follow")} what changes.`] : []),
        ...(devices === 0 && told.length === 0 ? [nobody] : []),
        ...tableUnder(
          "",
          ["webhook", "account", "events", "url"],
          told.map(({ webhook, account, url, events }) => [webhook, account, events, url]),
        ),
      ],
    }
  })

export const install = makeCommand("dataset install", {
  examples: { "landfall dataset install new.landfall --dry-run": "Say what would change and who would be notified" },
  takes: {
    file: argument("A dataset file"),
    dryRun,
    correction: isSet("It corrects data and no law has changed: nobody is notified"),
    force: isSet("Install a dataset that is older than the current one"),
  },
  *run({ file, dryRun, correction, force }) {
    const bytes = yield* readDatasetBytes(file)
    const options = { isDryRun: dryRun, isCorrection: correction, isForced: force }
    return yield* carryOut(
      configured =>
        installDataset(configured, bytes, options).pipe(
          Effect.mapError(({ message }) => failed(`${file}: ${message}`)),
        ),
      dryRun,
    )
  },
})

export const rollback = makeCommand("dataset rollback", {
  examples: { "landfall dataset rollback --dry-run": "Say what would change" },
  takes: { dryRun },
  *run({ dryRun }) {
    return yield* carryOut(configured => rollBack(configured, { isDryRun: dryRun }), dryRun)
  },
})

const readFile = (file: string) =>
  Effect.gen(function* () {
    const importedAt = `${new Date(yield* Clock.currentTimeMillis).toISOString().slice(0, 19)}Z`
    const read = readSpotsFile(yield* readText(file), importedAt)
    if (read.ok) return { ...read, importedAt }
    const lines = read.issues.map(
      ({ line, field, message }) => `${file}:${line}: ${field === null ? "" : `${field}: `}${message}`,
    )
    const more = read.issueCount - read.issues.length
    const others = more === 0 ? [] : [`and ${more} more mistakes`]
    throw failed([...lines, ...others, "Nothing was imported."].join("\n"))
  })

export const importCommand = makeCommand("spots import", {
  examples: { "landfall spots import spots.geojson --dry-run": "Say what would change" },
  takes: {
    file: argument("GeoJSON (a feature collection of points) or CSV with a line of column names"),
    replace: isSet("Remove all other spots, also those that ship with the package"),
    dryRun: isSet("Say what would change, and change nothing"),
  },
  *run({ file, replace, dryRun }) {
    const { spots, passedOver, importedAt } = yield* readFile(file)
    const options = { isReplacing: replace, isDryRun: dryRun, importedAt }
    const imported = yield* onDeployment(() => importSpots(spots, options))
    if (passedOver.length > 0)
      yield* Console.error(`These fields are unknown and were skipped: ${passedOver.join(", ")}`)
    const { added, changed, unchanged, removed, total } = imported
    const verb = dryRun ? "would have" : "has"
    return {
      json: toWire({ isDryRun: dryRun, ...imported, passedOver }),
      text: [
        `The set ${verb} ${total} spots: ${added} are new, ${changed} are changed, ${unchanged} are as they were, ${removed} are gone.`,
      ],
    }
  },
})

export const reset = makeCommand("spots reset", {
  examples: { "landfall spots reset": "Remove your own spots" },
  takes: {},
  *run() {
    const removed = yield* onDeployment(() => resetSpots)
    const done = `${removed} spots are removed; those that ship with the package are used again.`
    return { json: { removed }, text: [removed === 0 ? "There were no spots of your own." : done] }
  },
})
