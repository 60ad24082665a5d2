/** Values that break code which trusts its input: what every exported function is given in `never-throws.test.ts`. */

const refuse = () => {
  throw new Error("hostile")
}
const trap = { get: refuse, has: refuse, ownKeys: refuse, getPrototypeOf: refuse, getOwnPropertyDescriptor: refuse }
const revoked = Proxy.revocable({}, {})
revoked.revoke()
const cycle: Record<string, unknown> = {}
cycle.self = cycle

/** What no caller should give, by name. */
export const HOSTILE: readonly (readonly [name: string, value: unknown])[] = [
  ["undefined", undefined],
  ["null", null],
  ["true", true],
  ["NaN", Number.NaN],
  ["a number that is no place", 2 ** 53],
  ["a negative number", -1],
  ["a bigint", 10n],
  ["a symbol", Symbol("FRA")],
  ["an empty text", ""],
  ["a text of a hundred thousand letters", "A".repeat(100_000)],
  ["a lone half of a letter", "\ud800"],
  ["__proto__", "__proto__"],
  ["a function", () => "FRA"],
  ["an object", {}],
  ["an object without a prototype", Object.create(null)],
  ["an object that holds itself", cycle],
  ["an object whose text throws", { toString: refuse, valueOf: refuse, toJSON: refuse, [Symbol.toPrimitive]: refuse }],
  ["a list", []],
  ["a list of nothing", [null, undefined]],
  ["a list of a hundred thousand holes", new Array(1e5)],
  ["an object as long as that", { length: 1e9 }],
  ["a date that is none", new Date(Number.NaN)],
  ["bytes", new Uint8Array(64).fill(255)],
  ["a map", new Map([["FRA", 1]])],
  ["a proxy that throws", new Proxy({}, trap)],
  ["a list that throws", new Proxy(["FRA"], trap)],
  ["a function that throws", new Proxy(() => "FRA", { ...trap, apply: refuse })],
  ["a proxy that was revoked", revoked.proxy],
]
