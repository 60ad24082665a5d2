/**
 * What is an answer of the service, before a server sends it?
 *
 * A status, headers and a body that is ready to be sent. Every host sends the same answer. Header names are in lower case and in a flat
 * list: name, value, name, value, as Node takes them.
 */

/** A value that is there, or that has to be waited for. */
export type Soon<Value> = Value | Promise<Value>

/** Goes on with a value: at once if it is there, so that an answer that waits for nothing is ready in the tick of its request. */
export const after = <Value, Next>(value: Soon<Value>, next: (value: Value) => Soon<Next>): Soon<Next> =>
  value instanceof Promise ? value.then(next) : next(value)

/** Receives the pieces of a stream. */
export interface StreamSink {
  /** Takes bytes; returns false if the client reads too slowly, so that the writer may leave something out. */
  readonly write: (bytes: Uint8Array) => boolean
  readonly end: () => void
}

/** A body that goes on: opened when it is sent. */
export interface StreamBody {
  /** Starts writing; returns a function that stops it, for a client that disconnects. */
  readonly open: (sink: StreamSink) => () => void
}

/** A body that is read as fast as the client takes it, without leaving anything out. Its length is in the headers if it is known. */
export interface DownloadBody {
  /** Returns the whole body if it is a text that may be compressed; either this or `read` is used, once. */
  readonly text?: () => string
  /** `note` gets the number of bytes that are held while the client reads nothing. */
  readonly read: (note: (heldBytes: number) => void) => AsyncIterable<Uint8Array>
}

export interface Answer {
  readonly status: number
  readonly contentType: string
  readonly headers: readonly string[]
  readonly body: string | Uint8Array | StreamBody | DownloadBody
  /** Whether the bytes of the body are kept and shared by many answers. */
  readonly sharesBody?: true
}

export const JSON_TYPE = "application/json"
export const MARKDOWN_TYPE = "text/markdown; charset=utf-8"
export const GEO_JSON_TYPE = "application/geo+json"

/** For answers that are valid for one client at one moment. */
export const NOT_STORED: readonly string[] = ["cache-control", "no-store"]

/** For answers that their caller may store, and has to revalidate before using one again. */
export const REVALIDATED: readonly string[] = ["cache-control", "private, no-cache"]

export function answerText(
  contentType: string,
  body: string,
  headers: readonly string[] = [],
): Answer & { readonly body: string } {
  return { status: 200, contentType, headers, body }
}

export function answerJson(status: number, body: unknown, headers: readonly string[] = []): Answer {
  return { status, contentType: JSON_TYPE, headers, body: JSON.stringify(body) }
}

/** How many characters of a long text are sent at a time: a piece is small for the heap, even if a character takes two bytes. */
const PIECE_LENGTH = 32_768
/** How many pieces there may be: one in the connection, one that waits, one that is being written. */
const PIECES = 3

/** A long text as a body: it is written while it is read, so that it is never in memory whole. */
export function streamText(parts: Iterable<string>): DownloadBody {
  const encoder = new TextEncoder()
  return {
    text: () => [...parts].join(""),
    read: async function* (note) {
      note(PIECES * PIECE_LENGTH)
      let text = ""
      for (const part of parts) {
        text += part
        if (text.length < PIECE_LENGTH) continue
        yield encoder.encode(text)
        text = ""
      }
      yield encoder.encode(text)
    },
  }
}

/** Says whether an answer is charged: only a successful one is. */
export function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300
}

/** A flat list of headers as a record. */
export function toHeaderRecord(headers: readonly string[]): Record<string, string> {
  const record: Record<string, string> = {}
  for (let at = 0; at < headers.length; at += 2) record[headers[at] as string] = headers[at + 1] as string
  return record
}
