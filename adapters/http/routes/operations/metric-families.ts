/**
 * What does /metrics show besides the requests?
 *
 * Everything that an operator watches: refusals with their reasons, unsaved counts, the state of the database, and the process itself. Only
 * numbers; the few labels are words of the services.
 */
import { Accounts, type AccountsState } from "../../../accounts/accounts.ts"
import { LiveDataset } from "../../../events/live-dataset.ts"
import { type PushCount, PushCounts } from "../../../push/push-service.ts"
import { Backlog, type BacklogState } from "../../../queue/backlog.ts"
import { WorkTimes } from "../../../queue/work-times.ts"
import { Meter, type MeterState } from "../../../quota/meter.ts"
import { VERSION } from "../../../settings/package-version.ts"
import { type ClockState, DatabaseClock } from "../../../storage/database-clock.ts"
import type { FeedState } from "../../../storage/datasets-repository.ts"
import { MOST_COUNTED, type QueueRow } from "../../../storage/operations-repository.ts"
import { Storage, type StorageState } from "../../../storage/storage.ts"
import { type Family, listHistogram } from "../../../telemetry/families.ts"
import { LiveActivity } from "../../pipeline/activity.ts"
import type { Given } from "../../pipeline/endpoint.ts"
import { Lifecycle, type ProcessNumbers, ThisProcess } from "../../pipeline/process-state.ts"

const gauge = (name: string, help: string, value: number, over?: Family["over"]): Family => ({
  name,
  help,
  type: "gauge",
  over,
  samples: [{ labels: {}, value }],
})

const counter = (name: string, help: string, value: number): Family => ({
  ...gauge(name, help, value),
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
  {
    name: "landfall_refusals_total",
    help: "Requests that were refused because a limit was reached.",
    type: "counter",
    samples: meter.refusals.map(({ pool, reason, plan, count }) => ({ labels: { pool, reason, plan }, value: count })),
  },
  gauge("landfall_metered_limits", "Limits of accounts and addresses that are in memory.", meter.loadedLimits),
  gauge("landfall_metered_visitors", "Addresses without a key that are in memory.", meter.loadedAddresses),
  gauge("landfall_held_requests", "Requests that this process may serve without the database.", meter.heldRequests),
  counter(
    "landfall_flush_failures_total",
    "How often giving back requests, or saving statistics, failed.",
    meter.flushFailures,
  ),
]

const listStorageFamilies = ({ latencies, unavailable, steps }: StorageState): readonly Family[] => [
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

const listPushFamily = (counts: readonly PushCount[]): Family => ({
  name: "landfall_pushes_total",
  help: "Attempts to push something to a device, by platform and by how they ended.",
  type: "counter",
  samples: counts.map(({ platform, outcome, count }) => ({
    labels: { platform: platform ?? "none", outcome },
    value: count,
  })),
})

const listProcessFamilies = (numbers: ProcessNumbers): readonly Family[] => [
  gauge("landfall_open_connections", "Connections of clients that are open.", numbers.openConnections),
  counter("landfall_connections_total", "Connections of clients that were accepted.", numbers.acceptedConnections),
  {
    name: "process_cpu_seconds_total",
    help: "CPU time, by user and system.",
    type: "counter",
    samples: [
      { labels: { mode: "user" }, value: numbers.userCpuSeconds },
      { labels: { mode: "system" }, value: numbers.systemCpuSeconds },
    ],
  },
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
  const ofWork = (name: string, help: string, read: (row: QueueRow) => number): Family => ({
    name,
    help,
    type: "gauge",
    over: "max",
    samples: queues.map(row => ({ labels: { work: row.kind }, value: read(row) })),
  })
  const ofFeed = (name: string, help: string, read: (state: FeedState) => number): Family => ({
    name,
    help,
    type: "gauge",
    over: "max",
    samples: feed === null ? [] : [{ labels: {}, value: read(feed) }],
  })
  return [
    ofWork("landfall_waiting_work", `Work that waits, by kind; ${MOST_COUNTED} means as much or more.`, row =>
      Number(row.waiting),
    ),
    ofWork("landfall_waiting_work_age_seconds", "Since when the oldest waiting work of a kind is due.", row =>
      row.due_since === null ? 0 : Math.max(0, atMs - Number(row.due_since)) / 1_000,
    ),
    gauge("landfall_nodes", "Processes that serve or work on this database.", nodes, "max"),
    // Without samples where no feed is followed, so that nothing is concluded from them.
    ofFeed("landfall_feed_failures", "How many looks at the feed have failed in a row.", ({ failures }) => failures),
    ofFeed(
      "landfall_feed_success_timestamp_seconds",
      "When a look at the feed last succeeded, in seconds since 1970; 0 if none did.",
      ({ succeeded_at }) => Number(succeeded_at ?? 0) / 1_000,
    ),
  ]
}

const listDatasetFamilies = (live: LiveDataset["Service"]): readonly Family[] => {
  const { version, asOf } = live.read()
  const refused = live.readRefused()
  return [
    {
      name: "landfall_dataset_info",
      help: "The dataset in force.",
      type: "gauge",
      over: "max",
      samples: [{ labels: { version, as_of: asOf }, value: 1 }],
    },
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

/** The services whose numbers are shown. */
export const FAMILY_NEEDS = {
  accounts: Accounts,
  activity: LiveActivity,
  backlog: Backlog,
  clock: DatabaseClock,
  lifecycle: Lifecycle,
  live: LiveDataset,
  meter: Meter,
  process: ThisProcess,
  pushes: PushCounts,
  storage: Storage,
  work: WorkTimes,
} as const

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

export const listWorkerFamilies = ({
  backlog,
  clock,
  live,
  process,
  pushes,
  storage,
  work,
}: Given<typeof WORKER_NEEDS>): readonly Family[] => [
  ...listDatasetFamilies(live),
  ...listBacklogFamilies(backlog.readState()),
  ...listClockFamilies(clock.readState()),
  ...listStorageFamilies(storage.readState()),
  ...work.list(),
  listPushFamily(pushes.list()),
  ...listProcessFamilies(process.read()),
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
    {
      name: "landfall_build_info",
      help: "The version of the program.",
      type: "gauge",
      over: "max",
      samples: [{ labels, value: 1 }],
    },
    gauge("landfall_processes", "The number of processes that these metrics cover.", 1),
    gauge("landfall_live_listeners", "Clients that listen to the live stream.", services.activity.listenerCount),
    gauge("landfall_stopping", "Whether the service was told to stop.", Number(services.lifecycle.isStopping()), "max"),
    ...listAccountFamilies(services.accounts.readState()),
    ...listMeterFamilies(services.meter.readState()),
    ...listWorkerFamilies(services),
  ]
}
