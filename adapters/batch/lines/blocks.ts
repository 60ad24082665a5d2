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

/** Cuts a stream into blocks, in order. Each block has its own bytes, so that they can be transferred to another thread. */
export async function* cutBlocks(input: AsyncIterable<Uint8Array>, cutting: Cutting): AsyncGenerator<Piece> {
  const { blockBytes, mostLineBytes, afterLine } = cutting
  // Whole lines that wait for their block, and the beginning of a line whose end has not been read: nothing of one that is too long.
  let kept: Uint8Array[] = []
  let keptBytes = 0
  let rest: Uint8Array = new Uint8Array()
  let isTooLong = false
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
  for await (const chunk of decode(input, "utf-8")) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let [from, begin] = [0, 0]
    for (let end = bytes.indexOf(LINE_FEED, rest.length) + 1; end > 0; end = bytes.indexOf(LINE_FEED, from) + 1) {
      isTooLong ||= end - from > mostLineBytes
      if (isTooLong || line <= afterLine) {
        keep(bytes.subarray(begin, from))
        yield* takeBlock()
        if (isTooLong && line > afterLine) yield { kind: "too_long", line }
        begin = end
        firstLine = line + 1
      }
      isTooLong = false
      line++
      from = end
    }
    keep(bytes.subarray(begin, from))
    isTooLong ||= bytes.length - from > mostLineBytes
    rest = isTooLong ? new Uint8Array() : bytes.subarray(from)
    if (keptBytes >= blockBytes) {
      yield* takeBlock()
      firstLine = line
    }
  }
  if (line > afterLine) keep(rest)
  yield* takeBlock()
  if (isTooLong && line > afterLine) yield { kind: "too_long", line }
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
