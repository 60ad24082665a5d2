/** `landfall find guinea`: the codes of countries, by their names in any of fifteen languages; and how other commands read such names. */
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { embeddedDataset } from "../../src/index.ts"
import { CalledWrongly, CommandFailed, formatTable, jsonFlag, printWire } from "./outcome.ts"

/** An argument that is a code, or a country's name. */
export const countryArgument = (name: string, example: string) =>
  Argument.String(name).pipe(
    Argument.withDescription(`ISO 3166-1 alpha-3 code, such as ${example}, or the country's name in any language`),
  )

const CODE = /^[A-Z]{3}$/

const openFinder = async () => {
  const [{ explainMatch, makeCountryFinder }, { loadRecordBook }] = await Promise.all([
    import("../answers/find-country.ts"),
    import("../../src/full.ts"),
  ])
  const dataset = embeddedDataset()
  const { facts } = await loadRecordBook(dataset, "en")
  return { explainMatch, ...makeCountryFinder(dataset.destinations, facts.alpha2Of) }
}

let opened: ReturnType<typeof openFinder> | undefined

// Loaded when a name has to be found, because a code needs none of it; and once for all the names of a command.
const loadFinder = Effect.promise(() => {
  opened ??= openFinder()
  return opened
})

/**
 * Reads a code or a name as a code; a name that may mean several countries ends with 2 and names them. What is like no name is given back
 * as it is: whoever looks it up says what is wrong with it.
 */
export const readCountry = (text: string, usage: string): Effect.Effect<string, CalledWrongly> =>
  CODE.test(text)
    ? Effect.succeed(text)
    : Effect.gen(function* () {
        const { find, explainMatch } = yield* loadFinder
        const match = find(text)
        if (match.kind === "found") return match.code
        if (match.kind === "unknown" && match.candidates.length === 0) return text
        return yield* new CalledWrongly({ message: explainMatch(match, text), usage })
      })

/** Reads a list of codes or names, separated by commas. */
export const readCountries = (list: string, usage: string): Effect.Effect<readonly string[], CalledWrongly> =>
  Effect.forEach(list.split(","), text => readCountry(text, usage))

export const find = Command.make(
  "find",
  {
    text: Argument.String("text").pipe(Argument.withDescription("A name, a part of one, or a code")),
    json: jsonFlag,
  },
  Effect.fnUntraced(function* ({ text, json }) {
    const { search } = yield* loadFinder
    const found = search(text)
    if (json) return yield* printWire({ countries: found })
    if (found.length === 0) return yield* new CommandFailed({ message: `no country is called "${text}"` })
    yield* Console.log(
      formatTable(
        ["code", "name"],
        found.map(({ code, name }) => [code, name]),
      ),
    )
  }),
).pipe(
  Command.withDescription("The codes of countries, by their names in any of fifteen languages"),
  Command.withExamples([{ command: "landfall find guinea", description: "Every country with that word in its name" }]),
)
