/**
 * How does one drawn map become the picture of any passport?
 *
 * In a PNG with a palette each pixel is the number of a colour, and the palette is a chunk of its own (PNG specification, third edition, section 11.2.2).
 * The map is drawn once with a number for each country. A picture is the same file with another palette, so nothing is drawn at run time and the
 * pixels are never unpacked.
 */
import { crc32 } from "node:zlib"

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** Bytes of the length before a chunk's name and of the checksum after its contents, and of the name. */
const NUMBER_BYTES = 4
const NAME_BYTES = 4

/** A part of the file: a name of four letters and its contents. */
export interface Chunk {
  readonly name: string
  readonly bytes: Uint8Array
}

function writeChunk({ name, bytes }: Chunk): Buffer {
  const checked = Buffer.concat([Buffer.from(name, "latin1"), bytes])
  const [length, checksum] = [Buffer.alloc(NUMBER_BYTES), Buffer.alloc(NUMBER_BYTES)]
  length.writeUInt32BE(bytes.length)
  checksum.writeUInt32BE(crc32(checked))
  return Buffer.concat([length, checked, checksum])
}

export const writePng = (chunks: readonly Chunk[]): Buffer => Buffer.concat([SIGNATURE, ...chunks.map(writeChunk)])

/** Reads the chunks of a PNG that we wrote ourselves; checksums are not compared. */
export function readPng(png: Uint8Array): readonly Chunk[] {
  const bytes = Buffer.from(png.buffer, png.byteOffset, png.length)
  const chunks: Chunk[] = []
  for (let at = SIGNATURE.length; at < bytes.length; ) {
    const from = at + NUMBER_BYTES + NAME_BYTES
    const to = from + bytes.readUInt32BE(at)
    chunks.push({ name: bytes.toString("latin1", at + NUMBER_BYTES, from), bytes: bytes.subarray(from, to) })
    at = to + NUMBER_BYTES
  }
  return chunks
}
