/** How are the bytes of a chunk kept? Compressed off the event loop, as text that every database takes. */
import { promisify } from "node:util"
import { createGunzip, gunzip, gzip } from "node:zlib"
import { Effect } from "effect"

const compress = promisify(gzip)
const expand = promisify(gunzip)

/** Fast rather than small: a piece is written once and read once. */
const LEVEL = 1

export const packBytes = (bytes: Uint8Array): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => compress(bytes, { level: LEVEL })),
    packed => packed.toString("base64"),
  )

/** Opens what {@link packBytes} has packed. */
export const unpackBytes = (content: string): Effect.Effect<Uint8Array> =>
  Effect.promise(() => expand(Buffer.from(content, "base64")))

/** How many bytes are unpacked at a time for a reader who takes them as he can. */
const UNPACKED_BYTES = 65_536
/** How many of those there may be: one with the reader, one that waits for him, one that is being unpacked. */
const UNPACKED_PIECES = 3

/** Unpacks the output of {@link packBytes} piece by piece, so that a slow reader needs little memory; `note` gets the number of bytes. */
export async function* unpackPieces(content: string, note: (heldBytes: number) => void): AsyncGenerator<Uint8Array> {
  const packed = Buffer.from(content, "base64")
  note(packed.length + UNPACKED_PIECES * UNPACKED_BYTES)
  const unpacking = createGunzip({ chunkSize: UNPACKED_BYTES })
  unpacking.end(packed)
  yield* unpacking
}

/** The largest stretch of lines that is judged before other work gets a turn. */
export const SLICE_BYTES = 16_384
/** How long a stretch of several lines should take at most. */
const SLICE_MS = 20
const LINE_BREAK = 10

/** A stretch of whole lines, with the numbers of its first and its last. */
export interface Slice {
  readonly bytes: Uint8Array
  readonly firstLine: number
  readonly lastLine: number
}

/** The length of the next stretch by the time of the last: lines with many documents take a thousand times as long as plain ones. */
export function fitSlice(bytes: number, tookMs: number): number {
  if (tookMs <= SLICE_MS) return Math.min(SLICE_BYTES, bytes * 2)
  return Math.max(1, Math.floor((bytes * SLICE_MS) / tookMs))
}

/** Lines in stretches of some kilobytes, or of another length that may change between them; of one line at least. */
export function* sliceLines(
  bytes: Uint8Array,
  firstLine: number,
  readLength: () => number = () => SLICE_BYTES,
): Generator<Slice> {
  let line = firstLine
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(LINE_BREAK, from + readLength() - 1)
    const own = bytes.subarray(from, end < 0 ? bytes.length : end + 1)
    const lineBreaks = own.reduce((count, byte) => (byte === LINE_BREAK ? count + 1 : count), 0)
    const isOpen = own.at(-1) !== LINE_BREAK
    yield { bytes: own, firstLine: line, lastLine: line + lineBreaks - (isOpen ? 0 : 1) }
    line += lineBreaks
    from += own.length
  }
}
