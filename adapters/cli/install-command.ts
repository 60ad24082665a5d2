/**
 * `landfall dataset install` and `rollback`: changes the dataset that a running deployment answers from, and writes the events of
 * the difference.
 */
import { Effect } from "effect"
import type { Dataset } from "../../src/engine.ts"
import { toWire } from "../answers/wire-names.ts"
import type { Installed } from "../events/install-dataset.ts"
import { readSetting } from "../settings/config.ts"
import { settings } from "../settings/settings.ts"
import { argument, isSet, load, makeCommand } from "./command.ts"
import { nameCount, readDatasetBytes } from "./command-outcome.ts"
import { failed } from "./failure.ts"
import { onDeployment } from "./load-deployment.ts"
import { table } from "./print.ts"

const loadChanges = load(() => [
  import("../events/configured-dataset.ts"),
  import("../events/install-dataset.ts"),
  import("../events/followers/subscription.ts"),
  import("../events/followers/fan-out.ts"),
])

/** The dataset that the deployment uses while nothing is installed, as `landfall serve` reads it. */
const openConfigured = Effect.gen(function* () {
  const { openConfiguredDataset } = yield* loadChanges
  return yield* openConfiguredDataset(yield* readSetting(settings.rows.datasetPath))
})

const dryRun = isSet("Say what would change and who would be notified, and change nothing")

/** Runs an installation or a rollback, and says what it does. */
const carryOut = <E extends { readonly message: string }, R>(
  work: (configured: Dataset) => Effect.Effect<Installed, E, R>,
  isDryRun: boolean,
) =>
  Effect.gen(function* () {
    const { chooseEvents, concerns, parseTerms } = yield* loadChanges
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
        ...(told.length === 0
          ? []
          : [
              "",
              table(
                ["webhook", "account", "events", "url"],
                told.map(({ webhook, account, url, events }) => [webhook, account, events, url]),
              ),
            ]),
      ],
    }
  })

export const install = makeCommand("dataset install", {
  about: "Use a dataset from now on, and notify subscribers of its changes",
  examples: { "landfall dataset install new.landfall --dry-run": "Say what would change and who would be notified" },
  takes: {
    file: argument("A dataset file"),
    dryRun,
    correction: isSet("It corrects data and no law has changed: nobody is notified"),
    force: isSet("Install a dataset that is older than the current one"),
  },
  *run({ file, dryRun, correction, force }) {
    const { installDataset } = yield* loadChanges
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
  about: "Go back to the previously installed dataset",
  examples: { "landfall dataset rollback --dry-run": "Say what would change" },
  takes: { dryRun },
  *run({ dryRun }) {
    const { rollBack } = yield* loadChanges
    return yield* carryOut(configured => rollBack(configured, { isDryRun: dryRun }), dryRun)
  },
})
