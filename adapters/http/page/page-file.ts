/**
 * How is the built page one file of the package?
 *
 * Hundreds of small scripts repeat each other's words, so all of them together are a fifth of their size with brotli. Before it is compressed, the file is the length of a list as four bytes,
 * the list of names and lengths as JSON, and the contents in that order. A clone has the folder instead.
 */
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib"

/** Packs files by their names. The same files give the same bytes. */
export function packPage(files: ReadonlyMap<string, Uint8Array>): Buffer {
  const list = Buffer.from(JSON.stringify([...files].map(([name, { length }]) => [name, length])))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(list.length)
  const whole = Buffer.concat([length, list, ...files.values()])
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 }
  return brotliCompressSync(whole, { params })
}

/** The files of a packed page by their names. Throws if it is not one. */
export function openPage(packed: Uint8Array): ReadonlyMap<string, Buffer> {
  const whole = brotliDecompressSync(packed)
  let at = 4 + whole.readUInt32LE()
  const list = JSON.parse(whole.toString("utf8", 4, at)) as readonly (readonly [name: string, length: number])[]
  return new Map(
    list.map(([name, length]) => {
      at += length
      return [name, whole.subarray(at - length, at)]
    }),
  )
}
