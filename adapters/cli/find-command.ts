/** `landfall find guinea`: the codes of countries, by their names in any of fifteen languages. */
import { Effect } from "effect"
import { toWire } from "../answers/wire-names.ts"
import { argument } from "./command.ts"
import { makeQuestion } from "./dataset-question.ts"
import { CommandFailed } from "./failure.ts"
import { openFinder, tableOfCountries } from "./find-code.ts"
import { table } from "./print.ts"

export const find = makeQuestion("find", {
  about: "The codes of countries, by their names and those of their people in any of fifteen languages",
  examples: {
    "landfall find guinea": "Every country with that word in its name",
    "landfall find dominican --json": "The people of two countries, for programs",
    "landfall find guinea --lang ja": "The names in Japanese",
  },
  takes: { text: argument("The name of a country or of its people, a part of a name, or a code") },
  *run({ text, lang, dataset, words }) {
    const { search } = yield* Effect.promise(() => openFinder(dataset))
    const found = search(text)
    if (found.length === 0) {
      const message = `no country is called ${JSON.stringify(text.slice(0, 100))}`
      return yield* new CommandFailed({ message, code: "not_found", field: "text", given: text })
    }
    const countries = lang === undefined ? found : found.map(one => ({ ...one, name: words.country(one.code) }))
    return { json: toWire({ countries }), text: [table(...tableOfCountries(countries))] }
  },
})
