/**
 * What does /metrics show besides the requests?
 *
 * Everything that an operator watches: refusals with their reasons, unsaved counts, the state of the database, and the process itself. Only
 * numbers; the few labels are words of the services.
 */
import { Accounts, type AccountsState } from "../../../accounts/accounts.ts"
import { LiveDataset } from "../../../events/live-dataset.ts"
import { type PushCount, PushCounts } from "../../../push/push-service.ts"
import { Backlog, type BacklogState, WorkTimes } from "../../../queue/work-metrics.ts"
import { Meter, type MeterState } from "../../../quota/meter.ts"
import { VERSION } from "../../../settings/package-version.ts"
import { type ClockState, DatabaseClock } from "../../../storage/database-clock.ts"
import { MOST_COUNTED, type QueueRow } from "../../../storage/operations-repository.ts"
import { Storage, type StorageShape } from "../../../storage/storage.ts"
import { type Family, listHistogram, type Sample } from "../../../telemetry/families.ts"
import type { Given } from "../../pipeline/endpoint.ts"
import { Lifecycle, LiveActivity, type ProcessNumbers, ThisProcess } from "../../pipeline/process-state.ts"

/** The number of a family without labels, or one for each of several labels. */
type Numbers = number | readonly (readonly [Sample["labels"], number])[]

const gauge = (name: string, help: string, numbers: Numbers, over?: Family["over"]): Family => {
  const rows = typeof numbers === "number" ? [[{}, numbers] as const] : numbers
  return { name, help, type: "gauge", over, samples: rows.map(([labels, value]) => ({ labels, value })) }
}

const counter = (name: string, help: string, numbers: Numbers): Family => ({
  ...gauge(name, help, numbers),
  type: "counter",
})

const listAccountFamilies = ({ cachedCallers, revisionFailures }: AccountsState): readonly Family[] => [
  gauge("landfall_known_callers", "Callers who are known without the database.", cachedCallers),
  counter(
    "landfall_account_check_failures_total",
    "How often the revision of the accounts could not be read.",
    revisionFailures,
  ),
]

const listMeterFamilies = (meter: MeterState): readonly Family[] => [
  counter(
    "landfall_refusals_total",
    "Requests that were refused because a limit was reached.",
    meter.refusals.map(({ pool, reason, plan, count }) => [{ pool, reason, plan }, count]),
  ),
  gauge("landfall_metered_limits", "Limits of accounts and addresses that are in memory.", meter.loadedLimits),
  gauge("landfall_metered_visitors", "Addresses without a key that are in memory.", meter.loadedAddresses),
  gauge("landfall_held_requests", "Requests that this process may serve without the database.", meter.heldRequests),
  counter(
    "landfall_flush_failures_total",
    "How often giving back requests, or saving statistics, failed.",
    meter.flushFailures,
  ),
]

const listStorageFamilies = ({
  latencies,
  unavailable,
  steps,
}: ReturnType<StorageShape["readState"]>): readonly Family[] => [
  gauge(
    "landfall_tables_newer",
    "Whether a newer version has added to the tables.",
    Number(steps.applied > steps.known),
    "max",
  ),
  {
    name: "landfall_database_duration_seconds",
    help: "Time that the database took, for statements by themselves and for whole transactions.",
    type: "histogram",
    samples: Object.entries(latencies).flatMap(([kind, durations]) => listHistogram({ kind }, durations)),
  },
  counter("landfall_database_unavailable_total", "How often the database could not do its work.", unavailable),
]

const listPushFamily = (counts: readonly PushCount[]): Family =>
  counter(
    "landfall_pushes_total",
    "Attempts to push something to a device, by platform and by how they ended.",
    counts.map(({ platform, outcome, count }) => [{ platform: platform ?? "none", outcome }, count]),
  )

const listProcessFamilies = (numbers: ProcessNumbers): readonly Family[] => [
  gauge("landfall_open_connections", "Connections of clients that are open.", numbers.openConnections),
  counter("landfall_connections_total", "Connections of clients that were accepted.", numbers.acceptedConnections),
  counter("process_cpu_seconds_total", "CPU time, by user and system.", [
    [{ mode: "user" }, numbers.userCpuSeconds],
    [{ mode: "system" }, numbers.systemCpuSeconds],
  ]),
  gauge("process_resident_memory_bytes", "Resident memory of the process.", numbers.residentBytes),
  gauge("nodejs_heap_size_used_bytes", "Heap that is in use.", numbers.heapUsedBytes),
  gauge("nodejs_heap_size_total_bytes", "Heap that was reserved.", numbers.heapTotalBytes),
  gauge("nodejs_external_memory_bytes", "Memory outside of the heap that objects hold.", numbers.externalBytes),
  gauge(
    "nodejs_eventloop_lag_mean_seconds",
    "The mean lag of the event loop since the last reading.",
    numbers.lagMeanSeconds,
    "max",
  ),
  gauge(
    "nodejs_eventloop_lag_p99_seconds",
    "The 99th percentile of the lag of the event loop since the last reading.",
    numbers.lagP99Seconds,
    "max",
  ),
  gauge(
    "nodejs_eventloop_lag_max_seconds",
    "The largest lag of the event loop since the last reading.",
    numbers.lagMaximumSeconds,
    "max",
  ),
  gauge(
    "process_start_time_seconds",
    "When the process started, in seconds since 1970.",
    numbers.startedAtSeconds,
    "min",
  ),
  gauge("process_uptime_seconds", "Time since the process started.", numbers.uptimeSeconds, "max"),
]

/** What is read from the database is the same in every process, so the largest value is shown. */
const listBacklogFamilies = ({ atMs, queues, feed, nodes }: BacklogState): readonly Family[] => {
  const ofWork = (read: (row: QueueRow) => number): Numbers => queues.map(row => [{ work: row.kind }, read(row)])
  const readAge = ({ due_since }: QueueRow) => (due_since === null ? 0 : Math.max(0, atMs - Number(due_since)) / 1_000)
  return [
    gauge(
      "landfall_waiting_work",
      `Work that waits, by kind; ${MOST_COUNTED} means as much or more.`,
      ofWork(row => Number(row.waiting)),
      "max",
    ),
    gauge(
      "landfall_waiting_work_age_seconds",
      "Since when the oldest waiting work of a kind is due.",
      ofWork(readAge),
      "max",
    ),
    gauge("landfall_nodes", "Processes that serve or work on this database.", nodes, "max"),
    // Without samples where no feed is followed, so that nothing is concluded from them.
    gauge("landfall_feed_failures", "How many looks at the feed have failed in a row.", feed?.failures ?? [], "max"),
    gauge(
      "landfall_feed_success_timestamp_seconds",
      "When a look at the feed last succeeded, in seconds since 1970; 0 if none did.",
      feed === null ? [] : Number(feed.succeeded_at ?? 0) / 1_000,
      "max",
    ),
  ]
}

const listDatasetFamilies = (live: LiveDataset["Service"]): readonly Family[] => {
  const { version, asOf } = live.read()
  const refused = live.readRefused()
  return [
    gauge("landfall_dataset_info", "The dataset in force.", [[{ version, as_of: asOf }, 1]], "max"),
    gauge(
      "landfall_dataset_day_timestamp_seconds",
      "The day of the dataset in force, in seconds since 1970.",
      Date.parse(asOf) / 1_000,
      "min",
    ),
    gauge(
      "landfall_dataset_passed_over",
      "Whether the installed dataset cannot be opened, so that answers are from another one.",
      Number(live.isPassedOver()),
      "max",
    ),
    gauge("landfall_dataset_refused", "The installation that was refused; 0 where none is.", refused ?? 0, "max"),
    counter(
      "landfall_nodes_lost_total",
      "Nodes that ended without a word, as this process has found.",
      live.countLost(),
    ),
  ]
}

const listClockFamilies = ({ differenceMs, jumps }: ClockState): readonly Family[] => [
  gauge(
    "landfall_clock_difference_seconds",
    "How far the clock of the machine is from the database's, in either direction.",
    Math.abs(differenceMs) / 1_000,
    "max",
  ),
  counter("landfall_clock_jumps_total", "How often a jump of the time was adopted.", jumps),
]

/** The services whose numbers a worker process has. */
export const WORKER_NEEDS = {
  backlog: Backlog,
  clock: DatabaseClock,
  live: LiveDataset,
  process: ThisProcess,
  pushes: PushCounts,
  storage: Storage,
  work: WorkTimes,
} as const

/** The services whose numbers a serving process has. */
export const FAMILY_NEEDS = {
  ...WORKER_NEEDS,
  accounts: Accounts,
  activity: LiveActivity,
  lifecycle: Lifecycle,
  meter: Meter,
} as const

export const listWorkerFamilies = (services: Given<typeof WORKER_NEEDS>): readonly Family[] => [
  ...listDatasetFamilies(services.live),
  ...listBacklogFamilies(services.backlog.readState()),
  ...listClockFamilies(services.clock.readState()),
  ...listStorageFamilies(services.storage.readState()),
  ...services.work.list(),
  listPushFamily([...services.pushes.values()]),
  ...listProcessFamilies(services.process.read()),
]

/** All current numbers except the requests. */
export function listFamilies(services: Given<typeof FAMILY_NEEDS>, datasetVersion: string): readonly Family[] {
  const labels = {
    version: VERSION,
    node: process.versions.node,
    dataset: datasetVersion,
    database: services.storage.engine,
  }
  return [
    gauge("landfall_build_info", "The version of the program.", [[labels, 1]], "max"),
    gauge("landfall_processes", "The number of processes that these metrics cover.", 1),
    gauge("landfall_live_listeners", "Clients that listen to the live stream.", services.activity.listenerCount),
    gauge("landfall_stopping", "Whether the service was told to stop.", Number(services.lifecycle.isStopping()), "max"),
    ...listAccountFamilies(services.accounts.readState()),
    ...listMeterFamilies(services.meter.readState()),
    ...listWorkerFamilies(services),
  ]
}
