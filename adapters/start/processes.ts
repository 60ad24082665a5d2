/**
 * How does one service run in several processes that share a port?
 *
 * The process that is started opens no port for requests itself: it does what a service does in the background, and forks as many as serve. Connections
 * go to them in turn (`node:cluster`). To the database they are nodes as on several machines: limits are taken in blocks. One that ends is started
 * again, and all end with the first. Whichever is asked for the metrics asks the others for theirs through the first one.
 */
import cluster, { type Worker } from "node:cluster"
import { availableParallelism } from "node:os"
import { Effect, Option } from "effect"
import type { Metrics } from "../http/pipeline/process-state.ts"
import { DRAIN_MS, type Listening, NotListening } from "../http/server/http-server.ts"
import type { ServiceConfig } from "../settings/config.ts"
import type { Family } from "../telemetry/families.ts"
import { formatAuthority } from "../validation/addresses.ts"

/** The task of a process: everything, only background work (and starting the others), or only serving. */
export type Role = "all" | "first" | "serving"

const countProcesses = ({ processes }: Pick<ServiceConfig, "processes">): number =>
  processes === "auto" ? availableParallelism() : processes

/** The task of this process. Other programs fork processes too, so a fork alone proves nothing. */
export const readRole = (config: Pick<ServiceConfig, "processes">): Role =>
  countProcesses(config) === 1 ? "all" : cluster.isWorker ? "serving" : "first"

type Families = readonly Family[]

/** A message from a serving process to the first one. */
type FromServing =
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "ask"; readonly number: number }
  | { readonly kind: "own"; readonly number: number; readonly families: Families }

/** A message from the first process to a serving one. */
type FromFirst =
  | { readonly kind: "read"; readonly number: number }
  | { readonly kind: "others"; readonly number: number; readonly families: readonly Families[] }

/** How long one process waits for the numbers of another. */
const REPLY_MS = 1_000
/** How long after its end a process is started again, so that one that cannot start does not take all the time. */
const RESTART_MS = 1_000

/** Questions whose answers have not come. */
function makeQuestions<Answer>(empty: Answer) {
  const waiting = new Map<number, (answer: Answer) => void>()
  let asked = 0
  return {
    ask: (send: (number: number) => void) =>
      Effect.callback<Answer>(resume => {
        const number = asked++
        waiting.set(number, answer => resume(Effect.succeed(answer)))
        send(number)
        return Effect.sync(() => waiting.delete(number))
      }).pipe(
        Effect.timeoutOption(REPLY_MS),
        Effect.map(answer => Option.getOrElse(answer, () => empty)),
      ),
    take: (number: number, answer: Answer) => {
      waiting.get(number)?.(answer)
      waiting.delete(number)
    },
  }
}

// A process that is ending may not be there for an answer any more.
const tell = (part: Worker, message: FromFirst) => {
  if (part.isConnected()) part.send(message, () => {})
}

/** A message of `node:cluster` that passes a connection to a process, or that answers one. */
interface HandOver {
  readonly act?: string
  readonly seq?: number
  readonly ack?: number
}

/**
 * Closes the connections that were passed to a process and that it had not taken when it ended. `node:cluster` forgets them, so their
 * clients would wait for ever. Its messages between the processes are read, because it has no event for this.
 */
function closeLostConnections(part: Worker): void {
  const handed = new Map<number, { readonly close: () => void }>()
  const child = part.process
  const send = child.send.bind(child) as (...args: readonly unknown[]) => boolean
  child.send = ((message: HandOver, connection?: { readonly close: () => void }, ...rest: readonly unknown[]) => {
    if (message.act === "newconn" && connection !== undefined) handed.set(message.seq ?? -1, connection)
    return send(message, connection, ...rest)
  }) as typeof child.send
  child.on("internalMessage", ({ ack = -1 }: HandOver) => handed.delete(ack))
  part.once("exit", () => {
    for (const connection of handed.values()) connection.close()
  })
}

/**
 * Starts the processes that serve, until the scope ends; returns the address on which they listen. `readOwn` reads the numbers of this
 * process.
 *
 * Fails with `NotListening`.
 */
export const startProcesses = Effect.fnUntraced(function* (config: ServiceConfig, readOwn: () => Families) {
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const count = countProcesses(config)
  const parts = new Set<Worker>()
  const questions = makeQuestions<Families>([])
  let isStopping = false

  const answer = (part: Worker, number: number) => {
    const others = [...parts].filter(other => other !== part)
    const read = (other: Worker) => questions.ask(asked => tell(other, { kind: "read", number: asked }))
    const all = Effect.forEach(others, read, { concurrency: "unbounded" })
    fork(Effect.map(all, families => tell(part, { kind: "others", number, families: [readOwn(), ...families] })))
  }
  const start = (): Worker => {
    const part = cluster.fork()
    parts.add(part)
    closeLostConnections(part)
    part.on("message", (message: FromServing) => {
      if (message.kind === "ask") answer(part, message.number)
      else if (message.kind === "own") questions.take(message.number, message.families)
      else part.process.kill("SIGTERM")
    })
    part.once("exit", (code, signal) => {
      parts.delete(part)
      if (isStopping) return
      const how = signal === null ? `with code ${code}` : `by ${signal}`
      const restart = Effect.andThen(
        Effect.sleep(RESTART_MS),
        Effect.sync(() => void (isStopping || start())),
      )
      fork(Effect.andThen(Effect.logWarning(`a process that serves has ended ${how} and is started again`), restart))
    })
    return part
  }
  const stop = Effect.callback<void>(resume => {
    isStopping = true
    const done = () => {
      if (parts.size === 0) resume(Effect.void)
    }
    for (const part of parts) {
      part.once("exit", done)
      part.process.kill("SIGTERM")
    }
    done()
  })
  const kill = Effect.sync(() => {
    for (const part of parts) part.process.kill("SIGKILL")
  })
  yield* Effect.addFinalizer(() =>
    Effect.flatMap(Effect.timeoutOption(stop, config.drainSeconds * 1_000 + 2 * DRAIN_MS), ended =>
      Option.isSome(ended) ? Effect.void : kill,
    ),
  )

  return yield* Effect.callback<Listening, NotListening>(resume => {
    let listening = 0
    const refuse = (message: string) => resume(Effect.fail(new NotListening({ message })))
    for (let at = 0; at < count; at++) {
      const part = start()
      part.on("message", (message: FromServing) => {
        if (message.kind === "refused") refuse(message.message)
      })
      part.once("exit", code => refuse(`a process that serves has ended with code ${code} before it listened.`))
      part.once("listening", ({ port }) => {
        const url = `http://${formatAuthority(config.host, port)}`
        if (++listening === count) resume(Effect.succeed({ host: config.host, port, url }))
      })
    }
  })
})

/** Makes this process one of several that serve: it sends its numbers on request, and requests those of the others. */
export const joinProcesses = Effect.fnUntraced(function* (metrics: Metrics, readOwn: () => Families) {
  const questions = makeQuestions<readonly Families[]>([])
  const say = (message: FromServing) => void process.send?.(message, undefined, undefined, () => {})
  const take = (message: FromFirst) => {
    if (message.kind === "read") say({ kind: "own", number: message.number, families: readOwn() })
    else if (message.kind === "others") questions.take(message.number, message.families)
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("message", take)),
    () => Effect.sync(() => process.off("message", take)),
  )
  metrics.readOthers = questions.ask(number => say({ kind: "ask", number }))
})

/** Reports to the first process why this one cannot serve, and waits until it is stopped. */
export const refuseToServe = (message: string): Effect.Effect<never> =>
  Effect.andThen(
    Effect.sync(() => process.send?.({ kind: "refused", message } satisfies FromServing)),
    Effect.never,
  )
