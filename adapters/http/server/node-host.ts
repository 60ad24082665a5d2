/**
 * How does the service run behind `node:http`?
 *
 * It translates the request, calls the pipeline and translates the reply back; nothing is decided here. The body arrives at once or piece by
 * piece, with a limit of bytes and of time, unless a program in front of the listener has read it already. A download is sent as fast as its
 * client reads, and of an event stream a slow client misses a part.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { Readable } from "node:stream"
import {
  addCommonHeaders,
  CLIENT_LEFT,
  type DownloadBody,
  type HostedRequest,
  JSON_TYPE,
  MAXIMUM_BODY_BYTES,
  NOT_STORED,
  nameRequest,
  type Problem,
  readUtf8,
  type ServiceRequest,
  type Soon,
  type StreamBody,
  splitTarget,
  TOO_LARGE,
} from "../pipeline/http-message.ts"
import type { Pipeline, Reply } from "../pipeline/pipeline.ts"
import { type Held, type HeldBytes, holdUnread, type NoteBytes, oneAtATime } from "./held-bytes.ts"

// When is an answer sent that is ready? With the others that become ready in the same turn of the event loop. Each write wakes up its reader,
// which on the same machine (a proxy) takes a processor from the requests that were read with it; after a few writes in a row it is awake once
// for all of them. An answer waits for at most {@link MOST_TOGETHER} - 1 others, and while requests are begun for {@link MOST_TOGETHER_MS}; never for
// the work of a stranger that has waited for its turn, nor beyond the turn of the event loop that comes after its own.

/** How many answers are sent together. */
export const MOST_TOGETHER = 8
/** How long an answer waits for others before the next request of the turn is begun. */
export const MOST_TOGETHER_MS = 0.5

export interface Sendable {
  readonly send: () => void
}

/** The answers of one turn that are not sent yet. */
export class SentTogether {
  readonly #readClockMs: () => number
  #ready: Sendable[] = []
  #readySince = 0
  #isScheduled = false

  constructor(readClockMs = () => performance.now()) {
    this.#readClockMs = readClockMs
  }

  /** Sends an answer before the turn ends. */
  add(answer: Sendable): void {
    if (this.#ready.length === 0) this.#readySince = this.#readClockMs()
    if (this.#ready.push(answer) >= MOST_TOGETHER) this.sendAll()
    else if (!this.#isScheduled) {
      this.#isScheduled = true
      setImmediate(this.#endTurn)
    }
  }

  /** Sends what has waited for long enough, before something else is begun. */
  sendOld(): void {
    if (this.#ready.length > 0 && this.#readClockMs() - this.#readySince >= MOST_TOGETHER_MS) this.sendAll()
  }

  readonly #endTurn = (): void => {
    this.#isScheduled = false
    this.sendAll()
  }

  sendAll(): void {
    const ready = this.#ready
    this.#ready = []
    for (const answer of ready) answer.send()
  }
}

/** How long a body may take to arrive if it is read at once, and how long an unread one may continue after its answer. */
export const BODY_TIMEOUT_MS = 30_000

/** How many bytes of a stream may wait for a slow client; further events are left out. */
const MAXIMUM_WAITING_BYTES = 65_536

/** The size of a download before anything was read. */
const UNREAD_DOWNLOAD_BYTES = 65_536

/** An open stream: its connection and its objects. The bytes that it writes go to every listener. */
const STREAM_BYTES = 16_384

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
  return kept instanceof Uint8Array ? readUtf8(kept) : JSON.stringify(kept)
}

/** Whether a request has a body (RFC 9112, section 6.3). */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/** Closes the connection of a client that goes on sending a body long after it was answered. */
function endUnread(message: IncomingMessage, timeoutMs: number): void {
  const { complete, socket } = message
  if (complete || !hasBody(message)) return
  // An answered request that does not end is not told that its connection has closed.
  const timer = setTimeout(() => socket.destroy(), timeoutMs)
  const forget = () => {
    clearTimeout(timer)
    socket.off("close", forget)
  }
  socket.once("close", forget)
  message.once("end", forget)
  message.resume()
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

/** A loop, because Node's pipeline makes some ten kilobytes of objects for each answer: a flood of answers would fill the young generation with them. */
async function sendDownload(response: ServerResponse, { read }: DownloadBody, note: NoteBytes): Promise<void> {
  let goOn = () => {}
  const wake = () => goOn()
  response.on("drain", wake)
  response.on("close", wake)
  try {
    for await (const piece of read(note)) {
      if (response.destroyed) return
      if (response.write(piece)) continue
      await new Promise<void>(resolve => {
        goOn = resolve
      })
      if (response.destroyed) return
    }
    response.end()
  } catch {
    // A failure on the way can only close the connection: the length was sent already.
    response.destroy()
  }
}

export interface NodeHostOptions {
  /** The name under which limits count a client. */
  readonly nameClient: (request: ServiceRequest) => string
  /** What is held for all clients of a process. */
  readonly held: HeldBytes
  readonly bodyTimeoutMs?: number
}

/** What all requests of a listener share. */
interface Host extends Required<NodeHostOptions> {
  readonly answer: Pipeline
  readonly together: SentTogether
}

/** One request under way. What most requests do not need is made when it is needed. */
class NodeRequest implements HostedRequest {
  readonly #host: Host
  readonly #message: IncomingMessage
  readonly #response: ServerResponse
  readonly method: string
  readonly path: string
  readonly search: string
  #leaving: AbortController | undefined
  #reply: Reply | null = null
  #noteBytes: NoteBytes | null = null
  /** What its body may come to; null without one. */
  #body: Held | null = null
  /** Why its body is not read. */
  #refusal: Problem | null = null
  #endBody: ((refusal: Problem) => void) | null = null

  constructor(host: Host, message: IncomingMessage, response: ServerResponse) {
    this.#host = host
    this.#message = message
    this.#response = response
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

  get socketAddress(): string | undefined {
    return this.#message.socket.remoteAddress
  }

  get signal(): AbortSignal {
    if (this.#leaving === undefined) {
      const leaving = new AbortController()
      const response = this.#response
      this.#leaving = leaving
      // The one reason for all: Node would make an error with its stack for each, while a flood closes thousands.
      if (response.destroyed) leaving.abort(CLIENT_LEFT)
      else response.once("close", () => response.writableFinished || leaving.abort(CLIENT_LEFT))
    }
    return this.#leaving.signal
  }

  openBody(): AsyncIterable<Uint8Array> {
    // It is read in pieces, as fast as they are used; what was refused is not there any more.
    this.#body?.release()
    if (this.#refusal !== null) {
      this.#response.destroy()
      throw CLIENT_LEFT
    }
    if (isReadAlready(this.#message)) return Readable.from([Buffer.from(writeReadBody(this.#message))])
    // The answer still goes out on the same socket, so it is not destroyed.
    return this.#message.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>
  }

  readText(): Promise<string | Problem> {
    const message = this.#message
    if (this.#refusal !== null) return Promise.resolve(this.#refusal)
    if (!isReadAlready(message)) return new Promise((resolve, reject) => this.#readArriving(resolve, reject))
    const text = writeReadBody(message)
    return Promise.resolve(Buffer.byteLength(text) <= MAXIMUM_BODY_BYTES ? text : TOO_LARGE)
  }

  #readArriving(resolve: (body: string | Problem) => void, reject: (cause: unknown) => void): void {
    const { bodyTimeoutMs } = this.#host
    const [message, response] = [this.#message, this.#response]
    const pieces: Buffer[] = []
    let bytes = 0
    let isDone = false
    /** Ends the reading, at most once. */
    const end = (body: string | Problem | typeof CLIENT_LEFT) => {
      if (isDone) return
      isDone = true
      clearTimeout(timer)
      pieces.length = 0
      if (typeof body === "string") this.#body?.secure()
      else this.#body?.release()
      if (body === CLIENT_LEFT) reject(body)
      else resolve(body as string | Problem)
    }
    const timer = setTimeout(() => {
      end(CLIENT_LEFT)
      refuse(response, 408, TOO_SLOW)
    }, bodyTimeoutMs)
    this.#endBody = end
    message.on("data", (piece: Buffer) => {
      if (isDone) return
      bytes += piece.length
      if (bytes <= MAXIMUM_BODY_BYTES) pieces.push(piece)
      else end(TOO_LARGE)
    })
    message.on("end", () => end(isDone ? "" : readUtf8(Buffer.concat(pieces))))
    message.on("close", () => end(CLIENT_LEFT))
    message.on("error", () => end(CLIENT_LEFT))
  }

  /** Holds a body from now on, because what has come of it is in memory while its request waits for its turn. */
  #takeBody(): void {
    const [message, response] = [this.#message, this.#response]
    this.#body = this.#host.held.takeBody(this.#readClient(), message.headers["content-length"], noRoom => {
      if (this.#body !== null) response.shouldKeepAlive = false
      this.#refusal = noRoom
      this.#endBody?.(noRoom)
      message.resume()
    })
    // A body is held as its question until its answer is sent.
    if (this.#body !== null) response.once("close", () => this.#body?.release())
  }

  get hasLeft(): boolean {
    return this.#response.destroyed
  }

  sendReady(isAll: boolean): void {
    const { together } = this.#host
    if (isAll) together.sendAll()
    else together.sendOld()
  }

  waitForRoom(): Promise<void> | undefined {
    if (!this.#host.held.isFull(this.#readClient())) return undefined
    return new Promise((resolve, reject) => {
      this.#host.held.admit(this.#response, this.#readClient, resolve, () => reject(CLIENT_LEFT))
    })
  }

  get #readClient(): () => string {
    return () => this.#host.nameClient(this)
  }

  /** Answers, when the client has read enough of its answers before. */
  begin(): void {
    const { answer, held, together } = this.#host
    together.sendOld()
    if (hasBody(this.#message) && !isReadAlready(this.#message)) this.#takeBody()
    if (held.bytes === 0) this.#receive(answer(this))
    else held.admit(this.#response, this.#readClient, () => this.#receive(answer(this)))
  }

  #receive(reply: Soon<Reply | null>): void {
    if (reply instanceof Promise) {
      reply.then(ready => this.#receive(ready))
      return
    }
    this.#reply = reply
    // A body that is there is short: the pipeline gives a long one in pieces.
    if (typeof reply?.body === "string" || reply?.body instanceof Uint8Array) this.#host.together.add(this)
    else this.send()
  }

  /** Sends the reply; the client may have left since it was ready. */
  send(): void {
    const { bodyTimeoutMs, held } = this.#host
    const [message, response, reply] = [this.#message, this.#response, this.#reply]
    if (reply !== null && !response.destroyed) {
      const ownBytes = this.#write(reply)
      if (response.writableLength > 0 || !response.writableEnded) {
        this.#noteBytes = holdUnread(held, message, response, ownBytes, this.#readClient)
      }
    }
    if (reply !== null) endUnread(message, bodyTimeoutMs)
  }

  /** Writes an answer. Returns how many of its bytes can wait that no other answer shares. */
  #write({ status, headers, body, sharesBody }: Reply): number {
    const response = this.#response
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
    if (this.method === "HEAD") {
      response.end()
      return 0
    }
    if ("read" in body) {
      void sendDownload(response, body, bytes => this.#noteBytes?.(bytes))
      return body.heldBytes ?? UNREAD_DOWNLOAD_BYTES
    }
    response.flushHeaders()
    sendStream(response, body)
    return STREAM_BYTES
  }
}

/** The service as a listener of `node:http`. */
export function makeNodeListener(answer: Pipeline, options: NodeHostOptions): RequestListener {
  const host: Host = { bodyTimeoutMs: BODY_TIMEOUT_MS, ...options, answer, together: new SentTogether() }
  return oneAtATime((message, response) => new NodeRequest(host, message, response).begin(), host.held)
}
