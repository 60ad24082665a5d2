/**
 * How is each request logged, if an operator wants it?
 *
 * One JSON object a line: time, name, route, status, duration and plan. It never contains a key, a query or an address. Lines are collected
 * and written together after the current requests, so a line costs a microsecond and not a system call.
 */
import type { AccessLogPlace } from "../../settings/settings.ts"

/** The logged fields of a request. Every text is one of the service's own, or was proved to be plain. */
export interface AccessRecord {
  readonly atMs: number
  readonly requestId: string
  readonly method: string
  readonly route: string
  readonly status: number
  readonly milliseconds: number
  /** The plan of the key that was shown, or null. */
  readonly plan: string | null
}

/** Gathered lines are written at once when they have this many characters. */
const MAXIMUM_CHARACTERS = 65_536

export class AccessLog {
  readonly #write: (text: string) => void
  #lines = ""

  constructor(write: (text: string) => void) {
    this.#write = write
  }

  note({ atMs, requestId, method, route, status, milliseconds, plan }: AccessRecord): void {
    if (this.#lines === "") setImmediate(() => this.flush())
    const shownPlan = plan === null ? "null" : `"${plan}"`
    this.#lines += `{"time":"${new Date(atMs).toISOString()}","request_id":"${requestId}","method":"${method}","route":"${route}","status":${status},"milliseconds":${milliseconds.toFixed(3)},"plan":${shownPlan}}\n`
    if (this.#lines.length >= MAXIMUM_CHARACTERS) this.flush()
  }

  /** Writes the collected lines. */
  flush(): void {
    if (this.#lines === "") return
    const lines = this.#lines
    this.#lines = ""
    this.#write(lines)
  }
}

/** The access log where there is one. */
export function openAccessLog(place: AccessLogPlace): AccessLog | null {
  return place === "off" ? null : new AccessLog(text => process[place].write(text))
}
