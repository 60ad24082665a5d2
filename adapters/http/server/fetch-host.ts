/**
 * How is the service a WHATWG fetch handler?
 *
 * It translates the request, calls the pipeline and translates the reply back; nothing is decided here.
 */
import type { DownloadBody, StreamBody } from "../pipeline/http-answer.ts"
import type { Pipeline, Reply } from "../pipeline/pipeline.ts"
import {
  CLIENT_LEFT,
  type HostedRequest,
  MAXIMUM_BODY_BYTES,
  NO_ROOM,
  type ServiceRequest,
  TOO_LARGE,
} from "../pipeline/request.ts"
import type { Problem } from "../pipeline/surface.ts"
import { Turns } from "../pipeline/turns.ts"
import type { Held, HeldBytes } from "./held-bytes.ts"

/** What the host of a long-lived process knows. */
export interface FetchHost {
  /** The name under which limits count a client. */
  readonly nameClient: (request: ServiceRequest) => string
  readonly bodies: HeldBytes
}

class FetchRequest implements HostedRequest {
  readonly #request: Request
  readonly #host: FetchHost | undefined
  readonly #turns: Turns
  #hasTurn = false
  #held: Held | null | undefined
  readonly method: string
  readonly path: string
  readonly search: string
  readonly socketAddress: string | undefined

  constructor(request: Request, socketAddress: string | undefined, turns: Turns, host: FetchHost | undefined) {
    this.#request = request
    this.#host = host
    this.#turns = turns
    this.socketAddress = socketAddress
    const { pathname, search } = new URL(request.url)
    this.method = request.method
    this.path = pathname
    this.search = search.slice(1)
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined
  }

  openBody(): AsyncIterable<Uint8Array> {
    return (this.#request.body ?? []) as unknown as AsyncIterable<Uint8Array>
  }

  get signal(): AbortSignal {
    return this.#request.signal
  }

  get #client(): string {
    return this.#host?.nameClient(this) ?? this.socketAddress ?? ""
  }

  async readText(): Promise<string | Problem> {
    const { body, headers, signal } = this.#request
    if (body === null) return ""
    const reader = body.getReader()
    const decoder = new TextDecoder()
    let refusal: Problem | undefined
    const refuse = (why: Problem) => {
      refusal = why
      void reader.cancel()
    }
    const giveUp = () => refuse(NO_ROOM)
    this.#held = this.#host?.bodies.takeBody(this.#client, headers.get("content-length"), giveUp)
    if (this.#held === null) giveUp()
    let bytes = 0
    let text = ""
    while (refusal === undefined) {
      const { done, value } = await reader.read().catch(cause => {
        throw signal.aborted ? CLIENT_LEFT : cause
      })
      if (done) break
      bytes += value.length
      if (bytes > MAXIMUM_BODY_BYTES) refuse(TOO_LARGE)
      text += decoder.decode(value, { stream: true })
    }
    if (refusal !== undefined) return refusal
    this.#held?.secure()
    return text + decoder.decode()
  }

  async waitForRoom(): Promise<void> {
    await this.#turns.wait(this.#client)
    this.#hasTurn = true
    if (this.signal.aborted) throw CLIENT_LEFT
  }

  /** Called when the request has its answer, or will have none. */
  end(): void {
    if (this.#hasTurn) this.#turns.end()
    this.#held?.release()
  }
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

/** The service as a fetch handler, with the client's address if the host knows it. */
export function makeFetchHandler(pipeline: Pipeline, host?: FetchHost) {
  const turns = new Turns()

  return async (request: Request, clientAddress?: string): Promise<Response> => {
    const asked = new FetchRequest(request, clientAddress, turns, host)
    try {
      const reply = await pipeline(asked)
      if (reply === null) throw request.signal.reason
      return toResponse(reply, request.method === "HEAD")
    } finally {
      asked.end()
    }
  }
}
