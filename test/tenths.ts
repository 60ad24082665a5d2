/**
 * How long does something take that this process waits for, without what other processes take from it?
 *
 * Counted are the tenths of a second after which a timer of this process had its turn: while a busy machine keeps the process waiting, nothing is.
 */
export async function countTenths(work: Promise<unknown>): Promise<number> {
  let tenths = 0
  const timer = setInterval(() => tenths++, 100)
  await work.finally(() => clearInterval(timer))
  return tenths
}
