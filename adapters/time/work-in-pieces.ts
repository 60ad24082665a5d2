/** How does long work let others run: in pieces, between which it gives way? */

/** Does work in pieces, and lets others run between them as often as they have to. */
export function workInPieces<Value>(
  pieces: Generator<void, Value, void>,
  giveWay: () => void | Promise<void>,
): Value | Promise<Value> {
  for (;;) {
    const { done, value } = pieces.next()
    if (done) return value
    const turn = giveWay()
    if (turn instanceof Promise) return turn.then(() => workInPieces(pieces, giveWay))
  }
}
