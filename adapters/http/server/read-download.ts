/**
 * How are the pieces of a download read, so that many slow readers need little memory?
 *
 * A piece is read when its client has taken the previous one, and only a few are read at the same time over all downloads. Otherwise
 * hundreds of clients that never read would each cause a read before anybody counts them. A turn lasts as long as the reading, not as long
 * as the client, so a slow reader delays no other client.
 */
import { Turns } from "../pipeline/turns.ts"

const turns = new Turns()

/** Yields the pieces of a download in order. */
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
