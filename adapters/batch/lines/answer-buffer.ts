/**
 * How are answers collected as UTF-8 without copying them twice?
 *
 * Everything is appended to memory that is kept from block to block; at the end the block's bytes are copied out once. Pieces that recur are
 * bytes already.
 */

/** A UTF-16 code unit is at most three bytes of UTF-8. */
const MOST_BYTES_A_UNIT = 3
const MOST_DIGITS = 16
const ZERO = 48
/** Shorter pieces are copied byte by byte, because a call takes longer. */
const FEW_BYTES = 12

const encoder = new TextEncoder()

/** Makes a piece of a text. */
export const toPiece = (text: string): Uint8Array => encoder.encode(text)

/** Collects bytes; it grows as it has to. */
export class AnswerBuffer {
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

  addNumber(value: number): void {
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
