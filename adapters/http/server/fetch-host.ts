/**
 * How is the service a WHATWG fetch handler?
 *
 * It translates the request, calls the pipeline and translates the reply back; nothing is decided here.
 */
import {
  CLIENT_LEFT,
  type HostedRequest,
  MAXIMUM_BODY_BYTES,
  type Problem,
  readUtf8,
  type ServiceRequest,
  type StreamBody,
  TOO_LARGE,
} from "../pipeline/http-message.ts"
import type { Pipeline, Reply } from "../pipeline/pipeline.ts"
import type { Held, HeldBytes } from "./held-bytes.ts"

/** What a long-lived process limits; at the edge, the runtime does that. */
export interface FetchHost {
  /** The name under which limits count a client. */
  readonly nameClient: (request: ServiceRequest) => string
  readonly held: HeldBytes
  /** The client's address, in what a runtime passes beside a request. */
  readonly findAddress: (passed: unknown, request: Request) => string | undefined
}

class FetchRequest implements HostedRequest {
  readonly #request: Request
  readonly #host: FetchHost | undefined
  #held: Held | null | undefined
  readonly method: string
  readonly path: string
  readonly search: string
  readonly socketAddress: string | undefined

  constructor(request: Request, socketAddress: string | undefined, host: FetchHost | undefined) {
    this.#request = request
    this.#host = host
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
    const pieces: Uint8Array<ArrayBuffer>[] = []
    let refusal: Problem | undefined
    const refuse = (why: Problem) => {
      refusal = why
      void reader.cancel()
    }
    this.#held = this.#host?.held.takeBody(this.#client, headers.get("content-length"), refuse)
    let bytes = 0
    while (refusal === undefined) {
      const { done, value } = await reader.read().catch(cause => {
        throw signal.aborted ? CLIENT_LEFT : cause
      })
      if (done) break
      bytes += value.length
      if (bytes > MAXIMUM_BODY_BYTES) refuse(TOO_LARGE)
      pieces.push(value)
    }
    if (refusal !== undefined) return refusal
    this.#held?.secure()
    return readUtf8(await new Blob(pieces).arrayBuffer())
  }

  get hasLeft(): boolean {
    return this.signal.aborted
  }

  waitForRoom(): undefined {
    return undefined
  }

  /** Called when the request has its answer, or will have none. */
  end(): void {
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
function openPieces(pieces: AsyncIterator<Uint8Array>): ReadableStream<Uint8Array> {
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

function toResponse({ status, headers, body }: Reply, isHead: boolean): Response {
  const list: [string, string][] = []
  for (let at = 0; at < headers.length; at += 2) list.push([headers[at] as string, headers[at + 1] as string])
  const isEmpty = isHead || status === 204 || status === 304
  if (isEmpty) return new Response(null, { status, headers: list })
  const isReady = typeof body === "string" || body instanceof Uint8Array
  const content = isReady
    ? body
    : "read" in body
      ? openPieces(body.read(() => {})[Symbol.asyncIterator]())
      : openStream(body)
  return new Response(content as BodyInit, { status, headers: list })
}

/** The service as a fetch handler. At the edge, the client's address itself is passed beside the request. */
export const makeFetchHandler =
  (pipeline: Pipeline, host?: FetchHost) =>
  async (request: Request, passed?: unknown): Promise<Response> => {
    const address = host === undefined ? (passed as string | undefined) : host.findAddress(passed, request)
    const asked = new FetchRequest(request, address, host)
    try {
      const reply = await pipeline(asked)
      if (reply === null) throw request.signal.reason
      return toResponse(reply, request.method === "HEAD")
    } finally {
      asked.end()
    }
  }
