/**
 * How does a thread collect the text of a block without making it twice?
 *
 * Each line is written as UTF-8 behind the one before, into memory that is kept from block to block; at the end the block's bytes are copied out once. One long text
 * instead would be built, flattened and thrown away for each block: several times the memory, and most of it old before it is collected.
 */

/** Collects lines of text as bytes. */
export interface TextBuffer {
  /** Adds a line and its line break. */
  readonly addLine: (text: string) => void
  /** Gives the bytes that were added since the last time, in memory of their own. */
  readonly take: () => Uint8Array<ArrayBuffer>
}

/** A UTF-16 code unit is at most three bytes of UTF-8. */
const MOST_BYTES_A_UNIT = 3
const LINE_BREAK = 10

/** Makes an empty buffer; it grows as it has to. */
export function makeTextBuffer(size = 1024 * 1024): TextBuffer {
  let buffer = Buffer.allocUnsafeSlow(size)
  let used = 0
  return {
    addLine: text => {
      const least = used + text.length * MOST_BYTES_A_UNIT + 1
      if (least > buffer.length) {
        const wider = Buffer.allocUnsafeSlow(Math.max(least, buffer.length * 2))
        buffer.copy(wider, 0, 0, used)
        buffer = wider
      }
      used += buffer.write(text, used, "utf8")
      buffer[used++] = LINE_BREAK
    },
    take: () => {
      const bytes = new Uint8Array(used)
      bytes.set(buffer.subarray(0, used))
      used = 0
      return bytes
    },
  }
}
