/**
 * How are the pieces of a download read, so that many slow readers hold little?
 *
 * A piece is read when its client has taken the piece before it, and only a few are read at once over all downloads: else hundreds
 * of clients that never read would have one read for each before anybody counts them. A turn lasts as long as the reading, never
 * as long as the client, so that a slow reader delays no other client.
 */
import { Turns } from "../pipeline/turns.ts"

const turns = new Turns()

/** Gives the pieces of a download one after the other. */
export async function* readPieces(read: () => AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const pieces = read()[Symbol.asyncIterator]()
  try {
    for (;;) {
      await turns.wait("")
      let piece: IteratorResult<Uint8Array>
      try {
        piece = await pieces.next()
      } finally {
        turns.end()
      }
      if (piece.done === true) return
      yield piece.value
    }
  } finally {
    await pieces.return?.()
  }
}
