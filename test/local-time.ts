/**
 * Does anything that the tests run read the local time zone?
 *
 * A test fails in which a Date is taken apart, put together, read or written in local time, or a date formatter has no time zone: such an
 * answer depends on where the machine stands. So the service need not be tested again under other zones; `test/time-zones.ts` does so for
 * the core. What a process of its own does is not seen.
 */
import { afterEach, expect } from "vitest"

// Who may read it: log lines of Effect's default logger, and the driver of the browser, which packs its traces.
const ALLOWED = /node_modules\/effect\/dist\/internal\/effect\.js|playwright-core\/lib\//

// Not the milliseconds: they are the same in every zone, and Node's HTTP server reads them.
const LOCAL_PARTS = ["Date", "Day", "FullYear", "Hours", "Minutes", "Month", "Seconds"]
const LOCAL_METHODS = [
  ...LOCAL_PARTS.map(part => `get${part}`),
  ...LOCAL_PARTS.filter(part => part !== "Day").map(part => `set${part}`),
  "getTimezoneOffset",
  ...["", "Date", "Time"].flatMap(part => [`to${part}String`, `toLocale${part}String`]),
]
const IN_ONE_ZONE = /(Z|GMT|UTC|[+-]\d\d:?\d\d)$|^[+-]?\d{4,6}(-\d\d){0,2}$/

type Call = (...args: unknown[]) => unknown
interface Watch {
  readonly readings: string[]
}
const installed = Symbol.for("landfall/test/local-time")
const place = globalThis as { [installed]?: Watch }

function watchLocalTime(): Watch {
  const readings: string[] = []
  const note = (what: string) => {
    const frames = new Error().stack?.split("\n").slice(1) ?? []
    const caller = frames.find(frame => /file:|\(\/|at \//.test(frame) && !frame.includes("test/local-time.ts")) ?? ""
    if (!ALLOWED.test(caller)) readings.push(`${what}${caller.replace(/^ *at/, " at")}`)
  }
  const noteUnlessZoned = (what: string, options: unknown) => {
    if ((options as { timeZone?: unknown } | undefined)?.timeZone === undefined) note(what)
  }
  const methods = Date.prototype as unknown as Record<string, Call>
  for (const name of LOCAL_METHODS) {
    const read = methods[name] as Call
    methods[name] = function (this: Date, ...args) {
      noteUnlessZoned(`Date.${name}`, name.startsWith("toLocale") ? args[1] : undefined)
      return read.apply(this, args)
    }
  }
  const noteArguments = (args: readonly unknown[]) => {
    if (args.length > 1) note("new Date(year, month, …)")
    if (typeof args[0] === "string" && !IN_ONE_ZONE.test(args[0])) note(`new Date(${JSON.stringify(args[0])})`)
  }
  const parse = Date.parse
  Date.parse = text => {
    noteArguments([text])
    return parse(text)
  }
  globalThis.Date = new Proxy(Date, {
    construct: (target, args, newTarget) => {
      noteArguments(args)
      return Reflect.construct(target, args, newTarget)
    },
    apply: (target, self, args) => {
      note("Date()")
      return Reflect.apply(target, self, args)
    },
  })
  Intl.DateTimeFormat = new Proxy(Intl.DateTimeFormat, {
    construct: (target, args, newTarget) => {
      noteUnlessZoned("Intl.DateTimeFormat", args[1])
      return Reflect.construct(target, args, newTarget)
    },
    apply: (target, self, args) => {
      noteUnlessZoned("Intl.DateTimeFormat", args[1])
      return Reflect.apply(target, self, args)
    },
  })
  return { readings }
}

// Once a worker, although every file of tests sets up again.
place[installed] ??= watchLocalTime()
const { readings } = place[installed]

/** Everything that read the local time zone since the last call. */
export const takeReadings = (): readonly string[] => readings.splice(0)

afterEach(() => expect(takeReadings()).toEqual([]))
