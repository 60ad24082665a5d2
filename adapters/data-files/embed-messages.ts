/**
 * Compiles the keys and placeholders of the messages from the English catalogue into `src/record/messages.generated.ts`.
 *
 * It has to run before anything that imports `src/compiler.ts`. A message with plural forms has one placeholder whose number chooses
 * the form, which is written with `#` before it.
 */
import english from "../../data/locales/en.json" with { type: "json" }
import { writeWhereNew } from "../files/replace-file.ts"

type Template = string | { readonly other: string }

/** The units of numbers that choose a form. */
const COUNTED = ["days", "months", "years"]

function listPlaceholders(template: Template): readonly string[] {
  const isPlural = typeof template === "object"
  const names = [...(isPlural ? template.other : template).matchAll(/\{([a-z_]+)\}/g)].map(([, name = ""]) => name)
  return [...new Set(names)].map(name => (isPlural && COUNTED.includes(name) ? `#${name}` : name))
}

const messages = Object.entries<Template>(english).map(([key, template]) => [key, listPlaceholders(template)])
const counted = messages.flatMap(([key, placeholders]) => {
  const number = (placeholders as readonly string[]).find(name => name.startsWith("#"))
  return number === undefined ? [] : [[key, number.slice(1)]]
})
const target = "src/record/messages.generated.ts"
const text = [
  "// Built from data/locales/en.json by adapters/data-files/embed-messages.ts; not edited, not committed.",
  "/** Every message of records, pages, pushes and decisions with its placeholders. */",
  `export const MESSAGES = ${JSON.stringify(Object.fromEntries(messages))} as const`,
  "/** The placeholder whose number chooses the form of a message, by the messages that have forms. */",
  `export const COUNTED: Readonly<Record<string, string>> = ${JSON.stringify(Object.fromEntries(counted))}`,
  "",
].join("\n")
writeWhereNew(target, text)
