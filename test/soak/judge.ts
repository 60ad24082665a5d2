/**
 * Did every delivery of the soak arrive, at the times of the schedule, and does the database say so?
 *
 * Judged from what the receiver has seen and from the rows, by the specification: 10 attempts, after 30 seconds, 5 minutes, 30 minutes, then every
 * 6 hours, later where the receiver asked for it. A request that comes earlier is no attempt of its own: it is the same one again, because a
 * process was killed that was at it, or because the receiver closed a connection that was used before.
 */
import type { ReceivedDelivery, TakenPush } from "./receiver-process.ts"

/** What the database says of a delivery at the end. */
export interface FinalRow {
  readonly path: string
  readonly event_id: string
  readonly state: string
  readonly attempt: number
}

/** What came out. */
export interface Verdict {
  readonly delivered: number
  readonly undelivered: number
  readonly requests: number
  /** Requests of attempts that were made before: after a kill, and over a new connection. */
  readonly repeatedAfterKills: number
  /** Those of them that the receiver had not answered: it let the request hang until the process was killed. */
  readonly repeatedUnanswered: number
  readonly repeatedAtOnce: number
  /** Repeated though nobody was killed in between: a claim ran out while its process lived. */
  readonly repeatedOtherwise: number
  /** Attempts that the receiver has not seen: their time was over before it had read them. */
  readonly unseen: number
  /** Deliveries by how many attempts they took. */
  readonly attempts: readonly number[]
  /** What must not be. */
  readonly faults: readonly string[]
}

const [MINUTE, HOUR] = [60, 3_600]
const WAITS_SECONDS = [30, 5 * MINUTE, 30 * MINUTE, 6 * HOUR, 6 * HOUR, 6 * HOUR, 6 * HOUR, 6 * HOUR, 6 * HOUR]
const ATTEMPTS = 10
/** Signatures name whole seconds. */
const ROUNDING_SECONDS = 1

/** How long it takes from an attempt to the next one; there is none after the tenth. */
const waitAfter = (attempt: number): number => WAITS_SECONDS[attempt - 1] ?? Number.POSITIVE_INFINITY

/** Whether every device has taken a push of the newest installation for every pair, of the events of that pair only; what is not so. */
export function judgePushes(given: {
  readonly tokens: readonly string[]
  readonly events: readonly { readonly id: string; readonly destination: string; readonly installation: number }[]
  readonly taken: readonly TakenPush[]
}): readonly string[] {
  const byId = new Map(given.events.map(event => [event.id, event]))
  const newest = Math.max(...given.events.map(({ installation }) => installation))
  const told = new Set<string>()
  const faults: string[] = []
  for (const { token, destination, eventId } of given.taken) {
    const event = byId.get(eventId)
    if (event?.destination !== destination || !given.tokens.includes(token))
      faults.push(`${token} was sent ${eventId} of ${destination}, which is not its event`)
    else if (event.installation === newest) told.add(`${token} ${destination}`)
  }
  const destinations = new Set(given.events.map(({ destination }) => destination))
  for (const token of given.tokens)
    for (const destination of destinations)
      if (!told.has(`${token} ${destination}`)) faults.push(`${token} was not told of ${destination}`)
  return faults
}

/** Judges the end of a soak. */
export function judge(given: {
  readonly rows: readonly FinalRow[]
  readonly received: readonly ReceivedDelivery[]
  readonly expected: readonly { readonly path: string; readonly eventId: string; readonly installation: number }[]
  readonly killedAtSeconds: readonly number[]
  readonly askedSeconds: number
  /** How long the receiver had for an answer. */
  readonly timeoutSeconds: number
  /** When everything was due first. */
  readonly startedSeconds: number
}): Verdict {
  const { rows, received, expected, killedAtSeconds, askedSeconds, timeoutSeconds, startedSeconds } = given
  const faults: string[] = []
  const rowOf = new Map(rows.map(row => [`${row.path} ${row.event_id}`, row]))
  const receivedOf = new Map(received.map(one => [`${one.path} ${one.eventId}`, one]))
  if (rowOf.size !== rows.length) faults.push(`${rows.length - rowOf.size} deliveries were written twice`)
  const counts = { delivered: 0, undelivered: 0, requests: 0 }
  const repeated = { unanswered: 0, atOnce: 0, otherwise: 0 }
  let repeatedInAll = 0
  let unseen = 0
  const attempts = new Array<number>(ATTEMPTS + 1).fill(0)

  for (const { path, eventId, installation } of expected) {
    const key = `${path} ${eventId}`
    const [row, delivery] = [rowOf.get(key), receivedOf.get(key)]
    receivedOf.delete(key)
    rowOf.delete(key)
    if (row === undefined || delivery === undefined) {
      faults.push(`${key}: lost, ${row === undefined ? "there is no row" : `it is ${row.state} and never came`}`)
      continue
    }
    const { receptions } = delivery
    if (delivery.installation !== installation)
      faults.push(`${key}: names installation ${delivery.installation} and is of ${installation}`)
    counts.requests += receptions.length
    // Which attempts the request may be: an outcome that was not written before a kill leaves it open.
    let possible = new Set([1])
    // Attempts before the first request may have ended before the receiver had read them, as far as there was time for them.
    let due = startedSeconds
    for (let attempt = 1; receptions[0]!.signedSeconds >= due - ROUNDING_SECONDS; due += waitAfter(attempt++)) {
      possible.add(attempt)
    }
    for (let at = 1; at < receptions.length; at++) {
      const [before, now] = [receptions[at - 1]!, receptions[at]!]
      const passed = now.signedSeconds - before.signedSeconds
      if (passed < 0) faults.push(`${key}: was signed ${-passed} seconds before the request before it`)
      const isAfterKill = killedAtSeconds.some(
        kill => kill >= before.signedSeconds - ROUNDING_SECONDS && kill <= now.signedSeconds + ROUNDING_SECONDS,
      )
      const isAtOnce = before.treatment === "reset" && passed <= ROUNDING_SECONDS
      const next = new Set<number>()
      for (const attempt of possible) {
        const wait = waitAfter(attempt)
        // Nobody has heard what was answered after the time was over.
        const mayBeUnheard = passed >= wait + timeoutSeconds - ROUNDING_SECONDS
        let dueAfter = before.treatment === "ask to wait" && !mayBeUnheard ? Math.max(wait, askedSeconds) : wait
        if (isAfterKill || isAtOnce || passed < dueAfter - ROUNDING_SECONDS) next.add(attempt)
        for (let later = attempt + 1; passed >= dueAfter - ROUNDING_SECONDS; dueAfter += waitAfter(later++))
          next.add(later)
      }
      if (isAtOnce) repeated.atOnce++
      else if ([...possible].every(attempt => passed < waitAfter(attempt) - ROUNDING_SECONDS)) {
        if (!isAfterKill) repeated.otherwise++
        else if (before.treatment === "hang") repeated.unanswered++
      }
      possible = next
    }
    const isAccepted = receptions.some(({ treatment }) => treatment === "accept")
    if (row.state === "delivered") counts.delivered++
    else if (row.state === "undelivered") counts.undelivered++
    if (row.state !== (isAccepted ? "delivered" : "undelivered")) {
      faults.push(`${key}: is ${row.state} and was ${isAccepted ? "" : "never "}accepted`)
    }
    const most = Math.max(...possible)
    // Only what was never accepted can have ended with attempts that the receiver did not see.
    if (!possible.has(row.attempt) && (isAccepted || row.attempt < most)) {
      const seen = receptions.map(one => `${one.treatment} at ${Math.floor(one.signedSeconds - startedSeconds)}`)
      faults.push(
        `${key}: ${row.attempt} attempts are written, ${[...possible].join(" or ")} were seen: ${seen.join(", ")}`,
      )
    }
    repeatedInAll += Math.max(0, receptions.length - row.attempt)
    unseen += Math.max(0, row.attempt - receptions.length)
    if (row.state === "undelivered" && row.attempt !== ATTEMPTS) faults.push(`${key}: was given up too early`)
    attempts[row.attempt] = (attempts[row.attempt] ?? 0) + 1
  }
  for (const key of receivedOf.keys()) faults.push(`${key}: came and was never to be sent`)
  for (const key of rowOf.keys()) faults.push(`${key}: is written and was never to be sent`)
  return {
    ...counts,
    repeatedAfterKills: Math.max(0, repeatedInAll - repeated.atOnce - repeated.otherwise),
    repeatedUnanswered: repeated.unanswered,
    repeatedAtOnce: repeated.atOnce,
    repeatedOtherwise: repeated.otherwise,
    unseen,
    attempts,
    faults,
  }
}
