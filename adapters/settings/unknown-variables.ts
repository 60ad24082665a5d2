/**
 * Which environment variables look like settings of the service, but are not?
 *
 * A misspelt variable changes nothing, which is easy to overlook. So every unknown variable with the prefix of the settings is logged at the start, with the setting whose name is most
 * similar. Its value is not shown.
 */
import { ConfigProvider, Effect } from "effect"
import { nameNearest } from "./setting.ts"
import { SETTINGS } from "./settings.ts"

const PREFIX = "LANDFALL"
/** Variables of the test suite. */
const OTHERS = /^LANDFALL_TEST_/
/** Every variable of the provider that begins with the words of a path. */
const listNames = (
  provider: ConfigProvider.ConfigProvider,
  path: readonly string[],
): Effect.Effect<readonly string[], ConfigProvider.SourceError> =>
  Effect.gen(function* () {
    const node = yield* provider.load(path)
    if (node === undefined) return []
    const own = node.value === undefined ? [] : [path.join("_")]
    if (node._tag === "Value") return own
    const keys = node._tag === "Record" ? [...node.keys] : Array.from({ length: node.length }, (_, at) => String(at))
    const inner = yield* Effect.forEach(keys, key => listNames(provider, [...path, key]))
    return [...own, ...inner.flat()]
  })

/**
 * Says of a variable that it is not a setting.
 *
 * @example
 * ```ts
 * describeUnknown("LANDFALL_PROT") // => "LANDFALL_PROT is not a setting and changes nothing; LANDFALL_PORT is the nearest."
 * describeUnknown("LANDFALL_COLOUR_OF_THE_SEA") // => "LANDFALL_COLOUR_OF_THE_SEA is not a setting and changes nothing."
 * ```
 */
export function describeUnknown(name: string): string {
  const hint = nameNearest(
    name,
    SETTINGS.map(setting => setting.name),
  )
  return `${name} is not a setting and changes nothing${hint}.`
}

/** Says in the log of each variable that was meant for the service and is not a setting. */
export const warnOfUnknownVariables: Effect.Effect<void> = Effect.gen(function* () {
  const provider = yield* ConfigProvider.ConfigProvider
  const names = yield* Effect.orDie(listNames(provider, [PREFIX]))
  const unknown = names.filter(name => !OTHERS.test(name) && SETTINGS.every(setting => setting.name !== name))
  yield* Effect.forEach(unknown.sort(), name => Effect.logWarning(describeUnknown(name)), { discard: true })
})
