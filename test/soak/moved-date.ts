/**
 * Moves the clock of a process as `faketime` does: `node --import moved-date.ts PROGRAM`. `SOAK_AHEAD_MS` is how far it is ahead at the start;
 * the process that started it moves it by a message. Waiting takes as long as before.
 */
let aheadMs = Number(process.env.SOAK_AHEAD_MS ?? 0)

const RealDate = Date
const now = () => RealDate.now() + aheadMs

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name, receiver) => (name === "now" ? now : Reflect.get(target, name, receiver)),
})

process.on("message", ahead => {
  aheadMs = Number(ahead)
})
process.channel?.unref()
