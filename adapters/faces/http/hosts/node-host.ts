/**
 * How does the service run behind `node:http`?
 *
 * It translates the request, calls the pipeline and translates the reply back; nothing is decided here. The waiting happens here: an effect
 * becomes a fiber, which is interrupted when the client disconnects.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { pipeline, Readable } from "node:stream"
import { type Context, Effect, Exit, Fiber } from "effect"
import { type DownloadBody, JSON_TYPE, NOT_STORED, type StreamBody } from "../pipeline/answer.ts"
import { listCommonHeaders } from "../pipeline/common-headers.ts"
import { BODY, type BodyText, ROOM, type Wait } from "../pipeline/later.ts"
import { MAXIMUM_BODY_BYTES, type Pipeline, type Reply, type Step, Waiting } from "../pipeline/pipeline.ts"
import { type ServiceRequest, splitTarget } from "../pipeline/request.ts"
import { nameRequest } from "../pipeline/request-id.ts"
import { Turns } from "../pipeline/turns.ts"
import { readPieces } from "./download.ts"
import { type NoteBytes, oneAtATime, UnreadAnswers, type UnreadLimits } from "./unread.ts"

/** How many bytes of a stream may wait for a slow client; further events are left out. */
const MAXIMUM_WAITING_BYTES = 65_536

/** Long texts are encoded once; measuring one costs as much as encoding it. */
const ENCODED_FROM_LENGTH = 16_384

/** The size of a download before anything was read. */
const UNREAD_DOWNLOAD_BYTES = 65_536

/** Fields that a framework in front of the listener may have added to a request. */
type ReadMessage = IncomingMessage & {
  readonly originalUrl?: string
  /** The body as it came. */
  readonly rawBody?: unknown
  /** The body as it was understood. */
  readonly body?: unknown
}

/** Says whether a program in front of the listener has read the body: its end then does not come again. */
const isReadAlready = ({ readableEnded, readableDidRead, complete }: IncomingMessage): boolean =>
  readableEnded || (readableDidRead && complete)

/** A body that was read already, as text: as it came where that was kept, else written again. */
function writeReadBody({ rawBody, body }: ReadMessage): string {
  const kept = rawBody ?? body
  if (kept === undefined) return ""
  if (typeof kept === "string") return kept
  return kept instanceof Uint8Array ? new TextDecoder().decode(kept) : JSON.stringify(kept)
}

class NodeRequest implements ServiceRequest {
  readonly #message: IncomingMessage
  readonly method: string
  readonly path: string
  readonly search: string

  constructor(message: IncomingMessage) {
    this.#message = message
    this.method = message.method ?? "GET"
    // A framework that mounts the listener below a path takes the path off `url`.
    const { path, search } = splitTarget((message as ReadMessage).originalUrl ?? message.url ?? "/")
    this.path = path
    this.search = search
  }

  header(name: string): string | undefined {
    const value = this.#message.headers[name]
    return Array.isArray(value) ? value.join(", ") : value
  }

  openBody(): AsyncIterable<Uint8Array> {
    if (isReadAlready(this.#message)) return Readable.from([Buffer.from(writeReadBody(this.#message))])
    // The answer still goes out on the same socket, so it is not destroyed.
    return this.#message.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>
  }

  get socketAddress(): string | undefined {
    return this.#message.socket.remoteAddress
  }
}

/** How long a body may take to arrive if it is read at once, and how long an unread one may continue after its answer. */
export const BODY_TIMEOUT_MS = 30_000

/** Reads a body up to the size limit. Returns null if the client disconnects before its end, and "slow" if it takes too long. */
function readText(message: IncomingMessage, timeoutMs: number, then: (body: BodyText | null | "slow") => void): void {
  if (isReadAlready(message)) {
    const text = writeReadBody(message)
    then(Buffer.byteLength(text) <= MAXIMUM_BODY_BYTES ? { isWhole: true, text } : { isWhole: false })
    return
  }
  const pieces: Buffer[] = []
  let bytes = 0
  let isDone = false
  const timer = setTimeout(() => end("slow"), timeoutMs)
  const end = (body: BodyText | null | "slow") => {
    if (isDone) return
    isDone = true
    clearTimeout(timer)
    then(body)
  }
  message.on("data", (piece: Buffer) => {
    bytes += piece.length
    if (bytes <= MAXIMUM_BODY_BYTES) pieces.push(piece)
    else end({ isWhole: false })
  })
  message.on("end", () => end({ isWhole: true, text: new TextDecoder().decode(Buffer.concat(pieces)) }))
  message.on("close", () => end(null))
  message.on("error", () => end(null))
}

function sendStream(response: ServerResponse, { open }: StreamBody): void {
  const stop = open({
    write: bytes => {
      if (response.writableLength > MAXIMUM_WAITING_BYTES) return false
      response.write(bytes)
      return true
    },
    end: () => {
      response.end()
      // A client that never reads would keep the connection open.
      response.destroy()
    },
  })
  response.once("close", stop)
}

/** Says that a body took too long to arrive, and hangs up. */
function refuseSlow(response: ServerResponse): void {
  const body = JSON.stringify({ error: "The request took too long to arrive." })
  const length = ["content-type", JSON_TYPE, "content-length", String(body.length), "connection", "close"]
  response.writeHead(408, [...NOT_STORED, ...length, ...listCommonHeaders(nameRequest(undefined))])
  response.end(body)
}

/** Whether a request has a body (RFC 9112, section 6.3). */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/** Closes the connection of a client that goes on sending a body long after it was answered. */
function endUnread(message: IncomingMessage, timeoutMs: number): void {
  if (message.complete || !hasBody(message)) return
  const timer = setTimeout(() => message.destroy(), timeoutMs)
  message.once("close", () => clearTimeout(timer))
  message.once("end", () => clearTimeout(timer))
  message.resume()
}

function sendDownload(response: ServerResponse, { read }: DownloadBody, note: NoteBytes): void {
  // A failure on the way can only close the connection: the length was sent already.
  pipeline(Readable.from(readPieces(() => read(note))), response, () => response.destroy())
}

/** Sends an answer. Returns how many of its bytes can wait that no other answer shares. */
function send(message: IncomingMessage, response: ServerResponse, reply: Reply, note: NoteBytes): number {
  const { status, headers, body, sharesBody } = reply
  if (typeof body === "string" && body.length >= ENCODED_FROM_LENGTH) {
    const bytes = Buffer.from(body)
    response.writeHead(status, [...headers, "content-length", String(bytes.length)])
    response.end(bytes)
    return bytes.length
  }
  if (typeof body === "string") {
    const bytes = Buffer.byteLength(body)
    // 204 and 304 have no body, and no length either (RFC 9110, section 8.6).
    const hasLength = status !== 204 && status !== 304
    response.writeHead(status, hasLength ? headers.concat("content-length", String(bytes)) : headers.concat())
    // As text, so that Node sends headers and body in one piece; a pure ASCII text is copied without being encoded.
    response.end(body, bytes === body.length ? "latin1" : "utf8")
    return bytes
  }
  if (body instanceof Uint8Array) {
    response.writeHead(status, [...headers, "content-length", String(body.length)])
    response.end(body)
    return sharesBody === true ? 0 : body.length
  }
  response.writeHead(status, [...headers])
  if (message.method === "HEAD") {
    response.end()
    return 0
  }
  if ("read" in body) {
    sendDownload(response, body, note)
    return UNREAD_DOWNLOAD_BYTES
  }
  response.flushHeaders()
  sendStream(response, body)
  // The written bytes go to every listener.
  return 0
}

/** Options of a listener. */
export interface NodeHostOptions {
  /** The name under which limits count a client. */
  readonly nameClient: (request: ServiceRequest) => string
  readonly bodyTimeoutMs?: number
  readonly unreadLimits?: UnreadLimits
}

/** The service as a listener of `node:http`; `context` has the services for the effects of its stages. */
export function makeNodeListener(
  answer: Pipeline,
  context: Context.Context<never>,
  { nameClient, bodyTimeoutMs = BODY_TIMEOUT_MS, unreadLimits }: NodeHostOptions,
): RequestListener {
  const fork = Effect.runForkWith(context)
  const unread = new UnreadAnswers(unreadLimits)
  const turns = new Turns()

  /** Waits until the client has read enough, and until it is its turn. */
  function waitForRoom(
    response: ServerResponse,
    readClient: () => string,
    begin: () => void,
    giveUp: () => void,
  ): void {
    const takeTurn = () => {
      turns.take(readClient(), () => {
        const isReady = !response.destroyed && !unread.isFull(readClient())
        if (isReady) begin()
        else if (response.destroyed) giveUp()
        else waitForRoom(response, readClient, begin, giveUp)
        return isReady
      })
    }
    unread.admit(response, readClient, takeTurn, giveUp)
  }

  function waitFor(
    wait: Exclude<Wait, typeof BODY | typeof ROOM>,
    response: ServerResponse,
    giveUp: () => void,
    waiting: Waiting,
    then: (step: Step) => void,
  ) {
    if (wait instanceof Promise) {
      wait.then(
        value => then(waiting.next(value)),
        cause => then(waiting.fail(cause)),
      )
      return
    }
    const fiber = fork(wait)
    const interrupt = () => {
      if (!response.writableFinished) fork(Fiber.interrupt(fiber))
    }
    response.once("close", interrupt)
    fiber.addObserver(exit => {
      response.off("close", interrupt)
      if (response.destroyed) giveUp()
      else then(Exit.isSuccess(exit) ? waiting.next(exit.value) : waiting.fail(exit.cause))
    })
  }

  return oneAtATime((message, response) => {
    const request = new NodeRequest(message)
    const readClient = () => nameClient(request)
    let hasTurn = false
    const endTurn = () => {
      if (hasTurn) turns.end()
      hasTurn = false
    }
    const goOn = (step: Step): void => {
      if (!(step instanceof Waiting)) {
        let noteBytes: NoteBytes | null = null
        const ownBytes = send(message, response, step, bytes => noteBytes?.(bytes))
        if (response.writableLength > 0 || !response.writableEnded) {
          noteBytes = unread.add(message, response, ownBytes, readClient)
        }
        endTurn()
        endUnread(message, bodyTimeoutMs)
        return
      }
      const giveUp = () => {
        step.abandon()
        endTurn()
      }
      if (step.wait === BODY) {
        readText(message, bodyTimeoutMs, body => {
          if (body !== null && body !== "slow") {
            goOn(step.next(body))
            return
          }
          giveUp()
          if (body === "slow") refuseSlow(response)
        })
      } else if (step.wait === ROOM) {
        const begin = () => {
          hasTurn = true
          goOn(step.next(undefined))
        }
        waitForRoom(response, readClient, begin, giveUp)
      } else {
        waitFor(step.wait, response, giveUp, step, goOn)
      }
    }
    unread.admit(response, readClient, () => goOn(answer(request)))
  })
}
