/**
 * How are answers collected as UTF-8 without copying them twice?
 *
 * Everything is appended to memory that is kept from block to block; at the end the block's bytes are copied out once. Pieces that recur are
 * bytes already. A text instead would be joined from some hundred pieces, copied together and encoded for each answer, which takes several
 * times as long.
 */
import type { AnswerOutput } from "../../answers/answer-output.ts"

/** A UTF-16 code unit is at most three bytes of UTF-8. */
const MOST_BYTES_A_UNIT = 3
const MOST_DIGITS = 16
const ZERO = 48
const BLANK = 32
const QUOTE = 34
const BACKSLASH = 92
const LAST_OF_ASCII = 126
/** Shorter pieces are copied byte by byte, because a call takes longer. */
const FEW_BYTES = 12
/** Whole numbers below are written here; others are rare. */
const BELOW = 1e15

const encoder = new TextEncoder()

/** Makes a piece of a text. */
export const toPiece = (text: string): Uint8Array => encoder.encode(text)

/** Collects bytes; it grows as it has to. */
export class AnswerBuffer implements AnswerOutput<Uint8Array> {
  #buffer: Uint8Array<ArrayBuffer>
  #used = 0

  constructor(size = 1024 * 1024) {
    this.#buffer = new Uint8Array(size)
  }

  /** How many bytes were added since the last time they were taken. */
  get size(): number {
    return this.#used
  }

  add(piece: Uint8Array): void {
    const length = piece.length
    this.#makeRoom(length)
    const used = this.#used
    const buffer = this.#buffer
    if (length < FEW_BYTES) for (let at = 0; at < length; at++) buffer[used + at] = piece[at] as number
    else buffer.set(piece, used)
    this.#used = used + length
  }

  addText(text: string): void {
    this.#makeRoom(text.length * MOST_BYTES_A_UNIT)
    this.#used += encoder.encodeInto(text, this.#buffer.subarray(this.#used)).written
  }

  /** Adds a text of ASCII. */
  addPlain(text: string): void {
    const length = text.length
    this.#makeRoom(length)
    const used = this.#used
    const buffer = this.#buffer
    for (let at = 0; at < length; at++) buffer[used + at] = text.charCodeAt(at)
    this.#used = used + length
  }

  /** Adds a text as JSON. */
  addQuoted(text: string): void {
    const length = text.length
    this.#makeRoom(length + 2)
    const start = this.#used
    const buffer = this.#buffer
    buffer[start] = QUOTE
    for (let at = 0; at < length; at++) {
      const unit = text.charCodeAt(at)
      if (unit < BLANK || unit > LAST_OF_ASCII || unit === QUOTE || unit === BACKSLASH) {
        this.addText(JSON.stringify(text))
        return
      }
      buffer[start + 1 + at] = unit
    }
    buffer[start + 1 + length] = QUOTE
    this.#used = start + length + 2
  }

  addNumber(value: number | null): void {
    if (value === null || !(value >= 0 && value < BELOW) || !Number.isInteger(value)) {
      this.addPlain(`${value}`)
      return
    }
    this.#makeRoom(MOST_DIGITS)
    let digits = 1
    for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) digits++
    let rest = value
    for (let at = this.#used + digits - 1; at >= this.#used; at--) {
      const next = Math.floor(rest / 10)
      this.#buffer[at] = ZERO + rest - next * 10
      rest = next
    }
    this.#used += digits
  }

  replaceByte(at: number, byte: number): void {
    this.#buffer[at] = byte
  }

  /** Returns what was added since a size, as a piece. */
  copyFrom(from: number): Uint8Array {
    return this.#buffer.slice(from, this.#used)
  }

  /** Returns the bytes that were added since the last call, in memory of their own. */
  take(): Uint8Array<ArrayBuffer> {
    // Not filled with zeros first; of its own size, so that it can be transferred to another thread.
    const bytes = new Uint8Array(Buffer.allocUnsafeSlow(this.#used).buffer as ArrayBuffer)
    bytes.set(this.#buffer.subarray(0, this.#used))
    this.#used = 0
    return bytes
  }

  #makeRoom(bytes: number): void {
    const least = this.#used + bytes
    if (least <= this.#buffer.length) return
    const wider = new Uint8Array(Math.max(least, this.#buffer.length * 2))
    wider.set(this.#buffer.subarray(0, this.#used))
    this.#buffer = wider
  }
}
