/**
 * How are the pieces of a download read, so that many slow readers hold few of them?
 *
 * A piece is read and unpacked when its client has taken the piece before it. Only a few are read at once over all downloads: else
 * hundreds of clients that never read would have one unpacked for each before anybody counts them. A turn lasts as long as the
 * reading, never as long as the client, so that nobody waits for a slow reader.
 */

/** How many pieces are read at once. */
export const READS_AT_ONCE = 4

let reading = 0
const waiting: (() => void)[] = []

async function takeTurn(): Promise<void> {
  if (reading < READS_AT_ONCE) reading++
  else await new Promise<void>(resolve => waiting.push(resolve))
}

// The turn goes to whoever waits longest.
function endTurn(): void {
  const next = waiting.shift()
  if (next === undefined) reading--
  else next()
}

/** Gives the pieces of a download one after the other; `note` is told the bytes of each before it is handed over. */
export async function* readPieces(
  read: () => AsyncIterable<Uint8Array>,
  note: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void, void> {
  const pieces = read()[Symbol.asyncIterator]()
  try {
    for (;;) {
      await takeTurn()
      let piece: IteratorResult<Uint8Array>
      try {
        piece = await pieces.next()
      } finally {
        endTurn()
      }
      if (piece.done === true) return
      note(piece.value.length)
      yield piece.value
    }
  } finally {
    await pieces.return?.()
  }
}
