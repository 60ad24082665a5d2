/**
 * How does the service run behind `node:http`?
 *
 * It translates the request, calls the pipeline and translates the reply back; nothing is decided here. The waiting happens here: an effect
 * becomes a fiber, which is interrupted when the client disconnects.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { pipeline, Readable } from "node:stream"
import { type Context, Effect, Exit, Fiber } from "effect"
import { addCommonHeaders } from "../pipeline/common-headers.ts"
import { type DownloadBody, JSON_TYPE, NOT_STORED, type StreamBody } from "../pipeline/http-answer.ts"
import { BODY, ROOM, type Wait } from "../pipeline/later.ts"
import { type Pipeline, type Reply, type Step, Waiting } from "../pipeline/pipeline.ts"
import { type ServiceRequest, splitTarget } from "../pipeline/request.ts"
import { nameRequest } from "../pipeline/request-id.ts"
import { Turns } from "../pipeline/turns.ts"
import { BODY_LIMITS, type ByteLimits, HeldBytes, type TakeBody } from "./held-bytes.ts"
import { BODY_TIMEOUT_MS, endUnread, isReadAlready, type ReadMessage, readText, writeReadBody } from "./node-body.ts"
import { readPieces } from "./read-download.ts"
import { SentTogether } from "./sent-together.ts"
import { holdUnread, type NoteBytes, oneAtATime, UNREAD_LIMITS } from "./unread.ts"

/** How many bytes of a stream may wait for a slow client; further events are left out. */
const MAXIMUM_WAITING_BYTES = 65_536

/** Long texts are encoded once; measuring one costs as much as encoding it. */
const ENCODED_FROM_LENGTH = 16_384

/** The size of a download before anything was read. */
const UNREAD_DOWNLOAD_BYTES = 65_536

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

/** The headers of an answer that no row makes, after which the connection is closed. */
export function listRefusalHeaders(body: string): string[] {
  const length = ["content-type", JSON_TYPE, "content-length", String(body.length), "connection", "close"]
  return addCommonHeaders([...NOT_STORED, ...length], nameRequest(undefined))
}

export const TOO_SLOW = "The request took too long to arrive."

/** Refuses a request without a row, and hangs up. */
export function refuse(response: ServerResponse, status: number, error: string): void {
  const body = JSON.stringify({ error })
  response.writeHead(status, listRefusalHeaders(body))
  response.end(body)
}

function sendDownload(response: ServerResponse, { read }: DownloadBody, note: NoteBytes): void {
  // A failure on the way can only close the connection: the length was sent already.
  pipeline(Readable.from(readPieces(() => read(note))), response, () => response.destroy())
}

/** Sends an answer. Returns how many of its bytes can wait that no other answer shares. */
function send(
  message: IncomingMessage,
  response: ServerResponse,
  { status, headers, body, sharesBody }: Reply,
  sender: { readonly note: NoteBytes },
): number {
  if (typeof body === "string" && body.length >= ENCODED_FROM_LENGTH) {
    const bytes = Buffer.from(body)
    headers.push("content-length", String(bytes.length))
    response.writeHead(status, headers)
    response.end(bytes)
    return bytes.length
  }
  if (typeof body === "string") {
    const bytes = body === "" ? 0 : Buffer.byteLength(body)
    // 204 and 304 have no body, and no length either (RFC 9110, section 8.6).
    if (status !== 204 && status !== 304) headers.push("content-length", String(bytes))
    response.writeHead(status, headers)
    // As text, so that Node sends headers and body in one piece; a pure ASCII text is copied without being encoded.
    response.end(body, bytes === body.length ? "latin1" : "utf8")
    return bytes
  }
  if (body instanceof Uint8Array) {
    headers.push("content-length", String(body.length))
    response.writeHead(status, headers)
    response.end(body)
    return sharesBody === true ? 0 : body.length
  }
  response.writeHead(status, headers)
  if (message.method === "HEAD") {
    response.end()
    return 0
  }
  if ("read" in body) {
    sendDownload(response, body, bytes => sender.note(bytes))
    return UNREAD_DOWNLOAD_BYTES
  }
  response.flushHeaders()
  sendStream(response, body)
  // The written bytes go to every listener.
  return 0
}

export interface NodeHostOptions {
  /** The name under which limits count a client. */
  readonly nameClient: (request: ServiceRequest) => string
  readonly bodyTimeoutMs?: number
  readonly bodyLimits?: ByteLimits
  readonly unreadLimits?: ByteLimits
}

/** What all requests of a listener share. */
interface Host {
  readonly nameClient: (request: ServiceRequest) => string
  readonly bodyTimeoutMs: number
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  readonly bodies: HeldBytes
  readonly unread: HeldBytes
  readonly turns: Turns
  readonly together: SentTogether
}

/** One request under way. What most requests do not need is made when it is needed. */
class Handling {
  readonly #host: Host
  readonly #message: IncomingMessage
  readonly #response: ServerResponse
  readonly #request: NodeRequest
  #hasTurn = false
  #reply: Reply | null = null
  #noteBytes: NoteBytes | null = null

  constructor(host: Host, message: IncomingMessage, response: ServerResponse) {
    this.#host = host
    this.#message = message
    this.#response = response
    this.#request = new NodeRequest(message)
  }

  begin(answer: Pipeline): void {
    const { unread } = this.#host
    if (unread.bytes === 0) this.goOn(answer(this.#request))
    else unread.admit(this.#response, this.#readClient, () => this.goOn(answer(this.#request)))
  }

  goOn(step: Step): void {
    if (step instanceof Waiting) this.#wait(step)
    else {
      this.#reply = step
      const { body } = step
      // What others wait for, and what takes long to send, does not wait.
      const isSmall = typeof body === "string" || body instanceof Uint8Array
      if (isSmall && !this.#hasTurn) this.#host.together.add(this)
      else this.send()
    }
  }

  /** Sends the reply; the client may have left since it was ready. */
  send(): void {
    const { bodyTimeoutMs, unread } = this.#host
    const [message, response, reply] = [this.#message, this.#response, this.#reply as Reply]
    if (!response.destroyed) {
      const ownBytes = send(message, response, reply, this)
      if (response.writableLength > 0 || !response.writableEnded) {
        this.#noteBytes = holdUnread(unread, message, response, ownBytes, this.#readClient)
      }
    }
    this.#endTurn()
    endUnread(message, bodyTimeoutMs)
  }

  /** Notes how many bytes of a download are held. */
  note(bytes: number): void {
    this.#noteBytes?.(bytes)
  }

  get #readClient(): () => string {
    return () => this.#host.nameClient(this.#request)
  }

  #endTurn(): void {
    if (this.#hasTurn) this.#host.turns.end()
    this.#hasTurn = false
  }

  #giveUp(step: Waiting): void {
    step.abandon()
    this.#endTurn()
  }

  #wait(step: Waiting): void {
    if (step.wait === BODY) this.#waitForBody(step)
    else if (step.wait === ROOM) this.#waitForRoom(step)
    else this.#waitFor(step.wait, step)
  }

  #waitForBody(step: Waiting): void {
    const { bodies, bodyTimeoutMs } = this.#host
    const [message, response] = [this.#message, this.#response]
    const take: TakeBody = giveUp => {
      const held = bodies.takeBody(this.#readClient(), message.headers["content-length"], () => {
        response.shouldKeepAlive = false
        giveUp()
      })
      // A body is held as its question until its answer is sent.
      if (held !== null) response.once("close", held.release)
      return held
    }
    readText(message, bodyTimeoutMs, take, body => {
      if (body !== null && body !== "slow") {
        this.goOn(step.next(body))
        return
      }
      this.#giveUp(step)
      if (body === "slow") refuse(response, 408, TOO_SLOW)
    })
  }

  /** Waits until the client has read enough, and until it is its turn. */
  #waitForRoom(step: Waiting): void {
    const { turns, unread } = this.#host
    const [response, readClient] = [this.#response, this.#readClient]
    const takeTurn = () => {
      turns.take(readClient(), () => {
        const isReady = !response.destroyed && !unread.isFull(readClient())
        if (isReady) {
          this.#hasTurn = true
          this.goOn(step.next(undefined))
        } else if (response.destroyed) this.#giveUp(step)
        else this.#waitForRoom(step)
        return isReady
      })
    }
    unread.admit(response, readClient, takeTurn, () => this.#giveUp(step))
  }

  #waitFor(wait: Exclude<Wait, typeof BODY | typeof ROOM>, step: Waiting): void {
    if (wait instanceof Promise) {
      wait.then(
        value => this.goOn(step.next(value)),
        cause => this.goOn(step.fail(cause)),
      )
      return
    }
    const { fork } = this.#host
    const response = this.#response
    const fiber = fork(wait)
    const interrupt = () => {
      if (!response.writableFinished) fork(Fiber.interrupt(fiber))
    }
    response.once("close", interrupt)
    fiber.addObserver(exit => {
      response.off("close", interrupt)
      if (response.destroyed) this.#giveUp(step)
      else this.goOn(Exit.isSuccess(exit) ? step.next(exit.value) : step.fail(exit.cause))
    })
  }
}

/** The service as a listener of `node:http`; `context` has the services for the effects of its stages. */
export function makeNodeListener(
  answer: Pipeline,
  context: Context.Context<never>,
  {
    nameClient,
    bodyTimeoutMs = BODY_TIMEOUT_MS,
    bodyLimits = BODY_LIMITS,
    unreadLimits = UNREAD_LIMITS,
  }: NodeHostOptions,
): RequestListener {
  const host: Host = {
    nameClient,
    bodyTimeoutMs,
    fork: Effect.runForkWith(context),
    bodies: new HeldBytes(bodyLimits),
    unread: new HeldBytes(unreadLimits),
    turns: new Turns(),
    together: new SentTogether(),
  }
  return oneAtATime((message, response) => new Handling(host, message, response).begin(answer))
}
