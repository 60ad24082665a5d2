/**
 * How is the service a WHATWG fetch handler?
 *
 * It translates the request, calls the pipeline and translates the reply back; nothing is decided here. The caller passes in how an effect
 * is run, so a host without a runtime for effects needs none.
 */
import type { Effect } from "effect"
import type { DownloadBody, StreamBody } from "../pipeline/http-answer.ts"
import { BODY, type BodyText, NO_ROOM, ROOM, TOO_LARGE } from "../pipeline/later.ts"
import { MAXIMUM_BODY_BYTES, type Pipeline, type Reply, type Step, Waiting } from "../pipeline/pipeline.ts"
import type { ServiceRequest } from "../pipeline/request.ts"
import { Turns } from "../pipeline/turns.ts"
import type { Held, HeldBytes, TakeBody } from "./held-bytes.ts"

/** Runs an effect to a promise, which rejects with its cause; interrupted by the signal. */
export type RunEffect = (effect: Effect.Effect<unknown, unknown>, signal: AbortSignal) => Promise<unknown>

class FetchRequest implements ServiceRequest {
  readonly #request: Request
  readonly method: string
  readonly path: string
  readonly search: string
  readonly socketAddress: string | undefined

  constructor(request: Request, socketAddress: string | undefined) {
    this.#request = request
    this.socketAddress = socketAddress
    const { pathname, search } = new URL(request.url)
    this.method = request.method
    this.path = pathname
    this.search = search.slice(1)
  }

  openBody(): AsyncIterable<Uint8Array> {
    return (this.#request.body ?? []) as unknown as AsyncIterable<Uint8Array>
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined
  }
}

/** Reads a body up to the largest that is read, if there is room for what it announces. */
async function readText({ body }: Request, take: TakeBody | undefined): Promise<BodyText> {
  if (body === null) return { isWhole: true, text: "" }
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let refusal: BodyText | undefined
  const refuse = (why: BodyText) => {
    refusal = why
    void reader.cancel()
  }
  const held = take?.(() => refuse(NO_ROOM))
  if (held === null) refuse(NO_ROOM)
  let bytes = 0
  let text = ""
  while (refusal === undefined) {
    const { done, value } = await reader.read()
    if (done) break
    bytes += value.length
    if (bytes > MAXIMUM_BODY_BYTES) refuse(TOO_LARGE)
    text += decoder.decode(value, { stream: true })
  }
  if (refusal !== undefined) return refusal
  held?.secure()
  return { isWhole: true, text: text + decoder.decode() }
}

function openStream({ open }: StreamBody): ReadableStream<Uint8Array> {
  let stop = () => {}
  return new ReadableStream<Uint8Array>(
    {
      start: controller => {
        stop = open({
          write: bytes => {
            if ((controller.desiredSize ?? 0) <= 0) return false
            controller.enqueue(bytes)
            return true
          },
          end: () => controller.close(),
        })
      },
      cancel: () => stop(),
    },
    { highWaterMark: 65_536, size: chunk => chunk.byteLength },
  )
}

/** A stream that is read as fast as the client takes it. */
function openDownload({ read }: DownloadBody): ReadableStream<Uint8Array> {
  const pieces = read(() => {})[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>({
    pull: async controller => {
      const { value, done } = await pieces.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => {
      await pieces.return?.()
    },
  })
}

/** How many bytes of a shared body are sent at a time. */
const SHARED_PIECE_BYTES = 65_536

/** A body that is kept, as a stream of views: a response would copy it. */
function openShared(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream<Uint8Array>({
    pull: controller => {
      controller.enqueue(bytes.subarray(at, at + SHARED_PIECE_BYTES))
      at += SHARED_PIECE_BYTES
      if (at >= bytes.length) controller.close()
    },
  })
}

function toResponse({ status, headers, body, sharesBody }: Reply, isHead: boolean): Response {
  const list: [string, string][] = []
  for (let at = 0; at < headers.length; at += 2) list.push([headers[at] as string, headers[at + 1] as string])
  const isEmpty = isHead || status === 204 || status === 304
  if (isEmpty) return new Response(null, { status, headers: list })
  if (sharesBody === true && body instanceof Uint8Array && body.length > SHARED_PIECE_BYTES) {
    list.push(["content-length", String(body.length)])
    return new Response(openShared(body), { status, headers: list })
  }
  const isReady = typeof body === "string" || body instanceof Uint8Array
  const content = isReady ? body : "read" in body ? openDownload(body) : openStream(body)
  return new Response(content as BodyInit, { status, headers: list })
}

/** What the host of a long-lived process knows. */
export interface FetchHost {
  /** The name under which limits count a client. */
  readonly nameClient: (request: ServiceRequest) => string
  readonly bodies: HeldBytes
}

/** The service as a fetch handler, with the client's address if the host knows it. */
export function makeFetchHandler(pipeline: Pipeline, runEffect: RunEffect, host?: FetchHost) {
  const turns = new Turns()

  return async (request: Request, clientAddress?: string): Promise<Response> => {
    const asked = new FetchRequest(request, clientAddress)
    const client = host === undefined ? (clientAddress ?? "") : host.nameClient(asked)
    let hasTurn = false
    let held: Held | null | undefined
    const take: TakeBody | undefined =
      host && (giveUp => (held = host.bodies.takeBody(client, request.headers.get("content-length"), giveUp)))
    const settle = async (waiting: Waiting): Promise<Step> => {
      const { wait } = waiting
      try {
        const isPlain = wait instanceof Promise || wait === ROOM
        const value = await (wait === BODY ? readText(request, take) : isPlain ? wait : runEffect(wait, request.signal))
        if (!request.signal.aborted) return waiting.next(value)
      } catch (cause) {
        if (!request.signal.aborted) return waiting.fail(cause)
      }
      waiting.abandon()
      throw request.signal.reason
    }
    try {
      let step = pipeline(asked)
      while (step instanceof Waiting) {
        if (step.wait === ROOM) {
          await turns.wait(client)
          hasTurn = true
        }
        step = await settle(step)
      }
      return toResponse(step, request.method === "HEAD")
    } finally {
      if (hasTurn) turns.end()
      held?.release()
    }
  }
}
