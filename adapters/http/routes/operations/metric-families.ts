/**
 * What does /metrics show besides the requests?
 *
 * Everything that an operator watches: refusals with their reasons, unsaved counts, the state of the database, and the process itself. Only
 * numbers; the few labels are words of the services.
 */
import { Accounts, type AccountsState } from "../../../accounts/accounts.ts"
import { LiveDataset } from "../../../events/live-dataset.ts"
import { type PushCount, PushCounts } from "../../../push/push-counts.ts"
import { WorkTimes } from "../../../queue/work-times.ts"
import { Meter, type MeterState } from "../../../quota/meter.ts"
import { VERSION } from "../../../settings/package-version.ts"
import { Storage, type StorageState } from "../../../storage/storage.ts"
import { type Family, listHistogram } from "../../../telemetry/families.ts"
import { LiveActivity } from "../../pipeline/activity.ts"
import type { Given } from "../../pipeline/endpoint.ts"
import { Lifecycle } from "../../pipeline/lifecycle.ts"
import { type ProcessNumbers, ThisProcess } from "../../pipeline/process-state.ts"

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

const listStorageFamilies = ({ latencies, unavailable }: StorageState): readonly Family[] => [
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

/** The services whose numbers are shown. */
export const FAMILY_NEEDS = {
  accounts: Accounts,
  activity: LiveActivity,
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
  live: LiveDataset,
  process: ThisProcess,
  pushes: PushCounts,
  storage: Storage,
  work: WorkTimes,
} as const

export const listWorkerFamilies = ({
  live,
  process,
  pushes,
  storage,
  work,
}: Given<typeof WORKER_NEEDS>): readonly Family[] => [
  gauge(
    "landfall_dataset_passed_over",
    "Whether the installed dataset cannot be opened, so that answers are from another one.",
    Number(live.isPassedOver()),
    "max",
  ),
  ...listStorageFamilies(storage.readState()),
  work.list(),
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
