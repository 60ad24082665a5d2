/**
 * How does a thread collect the answers of a block without copying them twice?
 *
 * Everything is appended as UTF-8 to memory that is kept from block to block; at the end the block's bytes are copied out once.
 * One long text instead would be built, flattened and thrown away for each block: several times the memory, most of which would
 * survive until a full collection. Short plain texts are written byte by byte, because calling the encoder takes longer than
 * writing a line of verdicts.
 */

/** A UTF-16 code unit is at most three bytes of UTF-8. */
const MOST_BYTES_A_UNIT = 3
const MOST_DIGITS = 16
const ZERO = 48

/** Collects bytes; it grows as it has to. */
export class AnswerBuffer {
  #buffer: Buffer
  #used = 0

  constructor(size = 1024 * 1024) {
    this.#buffer = Buffer.allocUnsafeSlow(size)
  }

  addText(text: string): void {
    this.#makeRoom(text.length * MOST_BYTES_A_UNIT)
    this.#used += this.#buffer.write(text, this.#used, "utf8")
  }

  /** How many bytes were added since the last time they were taken. */
  get size(): number {
    return this.#used
  }

  /** Replaces a byte that was added. */
  replaceByte(at: number, byte: number): void {
    this.#buffer[at] = byte
  }

  /** Adds some bytes, which are few. */
  addBytes(bytes: Uint8Array, from = 0, to = bytes.length): void {
    this.#makeRoom(to - from)
    const buffer = this.#buffer
    let used = this.#used
    for (let at = from; at < to; at++) buffer[used++] = bytes[at] as number
    this.#used = used
  }

  /** Adds a whole number from 0 as text. */
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
    const wider = Buffer.allocUnsafeSlow(Math.max(least, this.#buffer.length * 2))
    this.#buffer.copy(wider, 0, 0, this.#used)
    this.#buffer = wider
  }
}
