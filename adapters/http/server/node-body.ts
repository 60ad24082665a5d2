/**
 * How does the body of a request of `node:http` arrive?
 *
 * At once or piece by piece, with a limit of bytes and of time; or a program in front of the listener has read it already.
 */
import type { IncomingMessage } from "node:http"
import { type BodyText, NO_ROOM, TOO_LARGE } from "../pipeline/later.ts"
import { MAXIMUM_BODY_BYTES } from "../pipeline/pipeline.ts"
import type { TakeBody } from "./held-bytes.ts"

/** How long a body may take to arrive if it is read at once, and how long an unread one may continue after its answer. */
export const BODY_TIMEOUT_MS = 30_000

/** Fields that a framework in front of the listener may have added to a request. */
export type ReadMessage = IncomingMessage & {
  readonly originalUrl?: string
  /** The body as it came. */
  readonly rawBody?: unknown
  /** The body as it was understood. */
  readonly body?: unknown
}

/** Says whether a program in front of the listener has read the body: its end then does not come again. */
export const isReadAlready = ({ readableEnded, readableDidRead, complete }: IncomingMessage): boolean =>
  readableEnded || (readableDidRead && complete)

/** A body that was read already, as text: as it came where that was kept, else written again. */
export function writeReadBody({ rawBody, body }: ReadMessage): string {
  const kept = rawBody ?? body
  if (kept === undefined) return ""
  if (typeof kept === "string") return kept
  return kept instanceof Uint8Array ? new TextDecoder().decode(kept) : JSON.stringify(kept)
}

/** How a body was read: null if the client disconnects before its end, and "slow" if it takes too long. */
type ReadBody = BodyText | null | "slow"

/** Reads a body up to the size limit, if there is room for what it announces. */
export function readText(
  message: IncomingMessage,
  timeoutMs: number,
  take: TakeBody,
  then: (body: ReadBody) => void,
): void {
  if (isReadAlready(message)) {
    const text = writeReadBody(message)
    then(Buffer.byteLength(text) <= MAXIMUM_BODY_BYTES ? { isWhole: true, text } : TOO_LARGE)
    return
  }
  const pieces: Buffer[] = []
  let bytes = 0
  let isDone = false
  const end = (body: ReadBody) => {
    if (isDone) return
    isDone = true
    clearTimeout(timer)
    pieces.length = 0
    if (body === null || body === "slow" || !body.isWhole) held?.release()
    else held?.secure()
    then(body)
  }
  const timer = setTimeout(() => end("slow"), timeoutMs)
  const held = take(() => end(NO_ROOM))
  if (held === null) {
    end(NO_ROOM)
    return
  }
  message.on("data", (piece: Buffer) => {
    if (isDone) return
    bytes += piece.length
    if (bytes <= MAXIMUM_BODY_BYTES) pieces.push(piece)
    else end(TOO_LARGE)
  })
  message.on("end", () => {
    const text = isDone ? "" : new TextDecoder().decode(Buffer.concat(pieces))
    end({ isWhole: true, text })
  })
  message.on("close", () => end(null))
  message.on("error", () => end(null))
}

/** Whether a request has a body (RFC 9112, section 6.3). */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0

/** Closes the connection of a client that goes on sending a body long after it was answered. */
export function endUnread(message: IncomingMessage, timeoutMs: number): void {
  if (message.complete || !hasBody(message)) return
  // An answered request that does not end is not told that its connection has closed.
  const { socket } = message
  const timer = setTimeout(() => socket.destroy(), timeoutMs)
  const forget = () => {
    clearTimeout(timer)
    socket.off("close", forget)
  }
  socket.once("close", forget)
  message.once("end", forget)
  message.resume()
}
