/** How did pushes end in this process? They are counted since its start, by platform and by the service's answer, for the metrics. */
import { Context } from "effect"
import type { Platform } from "../storage/devices-repository.ts"
import type { PushOutcome } from "./push-service.ts"

/** How often pushes ended in one way. */
export interface PushCount {
  /** Null where the device no longer existed. */
  readonly platform: Platform | null
  readonly outcome: PushOutcome["kind"]
  readonly count: number
}

export class PushCounter {
  readonly #counts = new Map<string, PushCount>()

  /** Counts an attempt that has ended. */
  add(platform: Platform | null, outcome: PushOutcome["kind"]): void {
    const name = `${platform} ${outcome}`
    const count = (this.#counts.get(name)?.count ?? 0) + 1
    this.#counts.set(name, { platform, outcome, count })
  }

  /** The counts so far. */
  list(): readonly PushCount[] {
    return [...this.#counts.values()]
  }
}

export const PushCounts = Context.Reference<PushCounter>("landfall/push/PushCounts", {
  defaultValue: () => new PushCounter(),
})
