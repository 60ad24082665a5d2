/**
 * How is a stream of bytes cut into blocks of whole lines?
 *
 * A block is what one thread judges at a time: at least a quarter of a megabyte of lines, with the number of the first. Lines may
 * be CSV rows, which go on over a line break inside a quoted cell. A line that is longer than any request is not kept while it is
 * read; only its number is passed on.
 */

/** Some lines, or one that is too long to be read. */
export type Piece =
  | { readonly kind: "lines"; readonly bytes: Uint8Array<ArrayBuffer>; readonly firstLine: number }
  | { readonly kind: "too_long"; readonly line: number }

export interface Cutting {
  /** The least bytes of a block, unless it is the last or comes before a line that is too long. */
  readonly blockBytes: number
  /** A line of more bytes is too long; its line break counts. */
  readonly mostLineBytes: number
  /** The sign that separates the cells of CSV, as a byte; null where every line break ends a line. */
  readonly delimiter: number | null
  /** Lines up to this one are skipped; lines are counted from 1. */
  readonly afterLine: number
}

/** The usual sizes: blocks of 256 KiB, lines of at most 1 MiB. */
export const USUAL_CUTTING: Cutting = {
  blockBytes: 256 * 1024,
  mostLineBytes: 1024 * 1024,
  delimiter: null,
  afterLine: 0,
}

const LINE_BREAK = 10
const QUOTE = 34
const BLANK = 32

/** Cuts a stream into blocks, in order. Each block has its own bytes, so that they can be transferred to another thread. */
export async function* cutBlocks(input: AsyncIterable<Uint8Array>, cutting: Cutting): AsyncGenerator<Piece> {
  const { blockBytes, mostLineBytes, afterLine } = cutting
  const findEnd = cutting.delimiter === null ? makeLineFinder() : makeRowFinder(cutting.delimiter)
  // Whole lines that wait for their block, and the beginning of a line whose end has not been read.
  let kept: Uint8Array[] = []
  let tail: Uint8Array[] = []
  let [keptBytes, tailBytes] = [0, 0]
  let [line, firstLine] = [1, 1]
  const keep = (bytes: Uint8Array) => {
    if (bytes.length > 0) kept.push(bytes)
    keptBytes += bytes.length
  }
  const takeBlock = (): Piece[] => {
    const block: Piece[] = keptBytes === 0 ? [] : [{ kind: "lines", bytes: joinBytes(kept, keptBytes), firstLine }]
    kept = []
    keptBytes = 0
    return block
  }
  for await (const chunk of dropByteOrderMark(input)) {
    let [from, begin] = [0, 0]
    for (let end = findEnd.next(chunk, from); end > 0; end = findEnd.next(chunk, from)) {
      const isTooLong = tailBytes + end - from > mostLineBytes
      if (isTooLong || line <= afterLine) {
        keep(chunk.subarray(begin, from))
        yield* takeBlock()
        if (isTooLong && line > afterLine) yield { kind: "too_long", line }
        begin = end
      } else {
        for (const bytes of tail) keep(bytes)
      }
      tail = []
      tailBytes = 0
      line += findEnd.lineBreaks()
      if (begin === end) firstLine = line
      from = end
    }
    keep(chunk.subarray(begin, from))
    if (from < chunk.length) {
      tailBytes += chunk.length - from
      if (tailBytes <= mostLineBytes) tail.push(chunk.subarray(from))
      else {
        tail = []
        findEnd.leaveQuotes()
      }
    }
    if (keptBytes >= blockBytes) {
      yield* takeBlock()
      firstLine = line
    }
  }
  const isLastKept = tailBytes > 0 && tailBytes <= mostLineBytes && line > afterLine
  if (isLastKept) for (const bytes of tail) keep(bytes)
  yield* takeBlock()
  if (tailBytes > mostLineBytes && line > afterLine) yield { kind: "too_long", line }
}

/** Finds where lines end. */
interface EndFinder {
  /** The place behind the next line's end, searched from a place; -1 where the chunk ends before. */
  readonly next: (chunk: Uint8Array, from: number) => number
  /** How many line breaks the line that was found has, its own among them. */
  readonly lineBreaks: () => number
  /** Reads the rest of the line as unquoted: its quote was a mistake. */
  readonly leaveQuotes: () => void
}

function makeLineFinder(): EndFinder {
  return {
    next: (chunk, from) => chunk.indexOf(LINE_BREAK, from) + 1 || -1,
    lineBreaks: () => 1,
    leaveQuotes: () => {},
  }
}

/** The position of the next byte in a row. */
type CellState = "start" | "plain" | "quoted" | "behind quote"

// A quote opens a cell only where a cell begins, blanks before it aside; two inside a quoted cell are one of its signs.
function makeRowFinder(delimiter: number): EndFinder {
  let state: CellState = "start"
  let [lineBreaks, found] = [0, 0]
  const step = (byte: number): CellState => {
    if (state === "quoted") return byte === QUOTE ? "behind quote" : "quoted"
    if (byte === delimiter || byte === LINE_BREAK) return "start"
    if (byte === QUOTE) return state === "plain" ? "plain" : "quoted"
    return state === "start" && byte === BLANK ? "start" : "plain"
  }
  return {
    next: (chunk, from) => {
      for (let at = from; at < chunk.length; at++) {
        const byte = chunk[at] as number
        const wasQuoted = state === "quoted"
        state = step(byte)
        if (byte !== LINE_BREAK) continue
        lineBreaks++
        if (wasQuoted) continue
        found = lineBreaks
        lineBreaks = 0
        return at + 1
      }
      return -1
    },
    lineBreaks: () => found,
    leaveQuotes: () => {
      state = "plain"
    },
  }
}

/** The rows of a block of CSV, each with the line on which it begins. */
export function* listRows(
  bytes: Uint8Array,
  firstLine: number,
  delimiter: number,
): Generator<{ readonly line: number; readonly bytes: Uint8Array }> {
  const findEnd = makeRowFinder(delimiter)
  let [from, line] = [0, firstLine]
  for (let end = findEnd.next(bytes, 0); end > 0; end = findEnd.next(bytes, from)) {
    yield { line, bytes: bytes.subarray(from, end) }
    line += findEnd.lineBreaks()
    from = end
  }
  if (from < bytes.length) yield { line, bytes: bytes.subarray(from) }
}

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

async function* dropByteOrderMark(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let start: Uint8Array | null = new Uint8Array()
  for await (const chunk of input) {
    if (start === null) {
      yield chunk
      continue
    }
    start = joinBytes([start, chunk], start.length + chunk.length)
    if (start.length < BYTE_ORDER_MARK.length) continue
    yield BYTE_ORDER_MARK.every((byte, at) => start?.[at] === byte) ? start.subarray(BYTE_ORDER_MARK.length) : start
    start = null
  }
  if (start !== null && start.length > 0) yield start
}

function joinBytes(parts: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
