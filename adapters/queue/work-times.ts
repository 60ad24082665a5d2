/** How long do attempts take, and how do they end? Counted since the start of this process, by kind of work, for the metrics. */
import { Context } from "effect"
import { type Family, listHistogram } from "../telemetry/families.ts"
import { Histogram } from "../time/histogram.ts"

/** Upper bounds of the durations, in seconds. */
const BOUNDS_SECONDS = [0.001, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60] as const
const DELIVERED_SECONDS = [0.5, 1, 2, 5, 10, 30, 60, 300, 1_800, 21_600, 86_400] as const

/** Measures attempts. */
export class WorkTimer {
  readonly #series = new Map<string, { readonly labels: Readonly<Record<string, string>>; readonly times: Histogram }>()

  /** Counts an attempt that has ended. `work` and `outcome` are words of the service. */
  note(work: string, outcome: string, seconds: number): void {
    const name = `${work} ${outcome}`
    const known = this.#series.get(name) ?? { labels: { work, outcome }, times: new Histogram(BOUNDS_SECONDS) }
    this.#series.set(name, known)
    known.times.note(seconds)
  }

  readonly #delivered = new Histogram(DELIVERED_SECONDS)

  /** Counts a delivery that was accepted, by the time since its event. */
  noteDelivered(seconds: number): void {
    this.#delivered.note(seconds)
  }

  /** The measurements so far. */
  list(): readonly Family[] {
    const delivered: Family = {
      name: "landfall_event_to_delivered_seconds",
      help: "Time from an event to the attempt at its delivery that was accepted.",
      type: "histogram",
      samples: listHistogram({}, this.#delivered.read()),
    }
    const worked: Family = {
      name: "landfall_work_duration_seconds",
      help: "Time that attempts at queued work took, by kind of work and how they ended.",
      type: "histogram",
      samples: [...this.#series.values()].flatMap(({ labels, times }) => listHistogram(labels, times.read())),
    }
    return [worked, delivered]
  }
}

/** The measurements of this process. */
export const WorkTimes = Context.Reference<WorkTimer>("landfall/queue/WorkTimes", {
  defaultValue: () => new WorkTimer(),
})
