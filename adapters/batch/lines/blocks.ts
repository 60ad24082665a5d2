/**
 * How is a stream of bytes cut into blocks of whole lines?
 *
 * A block is what one thread judges at a time: at least a quarter of a megabyte of lines, with the number of the first. A line that is
 * longer than any request is not kept while it is read; only its number is passed on.
 */
import { decode } from "../../files/text-encoding.ts"

/** Some lines, or one that is too long to be read. */
export type Piece =
  | { readonly kind: "lines"; readonly bytes: Uint8Array<ArrayBuffer>; readonly firstLine: number }
  | { readonly kind: "too_long"; readonly line: number }

export interface Cutting {
  /** The least bytes of a block, unless it is the last or comes before a line that is too long. */
  readonly blockBytes: number
  /** A line of more bytes is too long; its line break counts. */
  readonly mostLineBytes: number
  /** Lines up to this one are skipped; lines are counted from 1. */
  readonly afterLine: number
}

/** The usual sizes: blocks of 256 KiB, lines of at most 1 MiB. */
export const USUAL_CUTTING: Cutting = {
  blockBytes: 256 * 1024,
  mostLineBytes: 1024 * 1024,
  afterLine: 0,
}

const LINE_FEED = 10

/**
 * Cuts a stream into blocks, in order. Each block has its own bytes, so that they can be transferred to another thread. A byte is copied a
 * few times, however small the chunks are in which it comes.
 */
export async function* cutBlocks(input: AsyncIterable<Uint8Array>, cutting: Cutting): AsyncGenerator<Piece> {
  const { blockBytes, mostLineBytes, afterLine } = cutting
  // Whole lines that wait for their block, and then the beginning of a line whose end has not been read: nothing of one that is too long.
  let held = new Uint8Array()
  let [wholeBytes, heldBytes] = [0, 0]
  let isTooLong = false
  let [line, firstLine] = [1, 1]
  const hold = (bytes: Uint8Array) => {
    const needed = heldBytes + bytes.length
    if (needed > held.length) {
      const larger = new Uint8Array(2 * needed)
      larger.set(held.subarray(0, heldBytes))
      held = larger
    }
    held.set(bytes, heldBytes)
    heldBytes = needed
  }
  const takeBlock = (): Piece[] => {
    if (wholeBytes === 0) return []
    const bytes = held.slice(0, wholeBytes)
    held.copyWithin(0, wholeBytes, heldBytes)
    heldBytes -= wholeBytes
    wholeBytes = 0
    return [{ kind: "lines", bytes, firstLine }]
  }
  for await (const chunk of decode(input, "utf-8")) {
    // Where the lines begin that are not held yet, and the line that is read.
    let [begin, from] = [0, 0]
    let restBytes = heldBytes - wholeBytes
    for (let end = chunk.indexOf(LINE_FEED) + 1; end > 0; end = chunk.indexOf(LINE_FEED, from) + 1) {
      isTooLong ||= restBytes + end - from > mostLineBytes
      if (isTooLong || line <= afterLine) {
        hold(chunk.subarray(begin, from))
        if (begin < from) wholeBytes = heldBytes
        heldBytes = wholeBytes
        yield* takeBlock()
        if (isTooLong && line > afterLine) yield { kind: "too_long", line }
        begin = end
        firstLine = line + 1
      }
      isTooLong = false
      restBytes = 0
      line++
      from = end
    }
    hold(chunk.subarray(begin, from))
    if (begin < from) wholeBytes = heldBytes
    isTooLong ||= restBytes + chunk.length - from > mostLineBytes
    if (isTooLong || line <= afterLine) heldBytes = wholeBytes
    else hold(chunk.subarray(from))
    if (wholeBytes >= blockBytes) {
      yield* takeBlock()
      firstLine = line
    }
  }
  wholeBytes = heldBytes
  yield* takeBlock()
  if (isTooLong && line > afterLine) yield { kind: "too_long", line }
}
