/**
 * In which encoding is a text?
 *
 * In the one that is named, or else in that of the mark at its beginning, or else in UTF-8: nothing else in the bytes says which it is. The mark is no part of
 * the text; where UTF-8 is named, another mark is.
 */

const MARKS = [
  [[0xef, 0xbb, 0xbf], "utf-8"],
  [[0xff, 0xfe], "utf-16le"],
  [[0xfe, 0xff], "utf-16be"],
] as const

const toUtf8 = new TextEncoder()

const isUtf8 = (label: string): boolean => /^utf-?8$/i.test(label)

/** What follows the mark of a text, and how it is decoded; null where it is UTF-8. */
function open(bytes: Uint8Array, encoding: string | undefined) {
  const marks = isUtf8(encoding ?? "") ? MARKS.slice(0, 1) : MARKS
  const [mark, marked] = marks.find(([found]) => found.every((byte, at) => bytes[at] === byte)) ?? [[], "utf-8"]
  const label = encoding ?? marked
  return { text: bytes.subarray(mark.length), decoder: isUtf8(label) ? null : new TextDecoder(label) }
}

/** Bytes of UTF-8 without a mark, of a text in the encoding that is named, or else in that of its mark. */
export function decodeMarked(bytes: Uint8Array, encoding?: string): Uint8Array {
  const { text, decoder } = open(bytes, encoding)
  return decoder === null ? text : toUtf8.encode(decoder.decode(text))
}

/** As {@link decodeMarked}, of bytes that arrive in chunks. */
export async function* decode(
  input: AsyncIterable<Uint8Array>,
  encoding: string | undefined,
): AsyncGenerator<Uint8Array> {
  let start: Uint8Array | null = new Uint8Array()
  let decoder: TextDecoder | null = null
  const toBytes = (chunk: Uint8Array) =>
    decoder === null ? chunk : toUtf8.encode(decoder.decode(chunk, { stream: true }))
  const begin = (bytes: Uint8Array) => {
    const opened = open(bytes, encoding)
    decoder = opened.decoder
    return toBytes(opened.text)
  }
  for await (const chunk of input) {
    if (start === null) {
      yield toBytes(chunk)
      continue
    }
    start = Buffer.concat([start, chunk])
    if (start.length < 3) continue
    yield begin(start)
    start = null
  }
  if (start !== null) yield begin(start)
  if (decoder !== null) yield toUtf8.encode((decoder as TextDecoder).decode())
}
