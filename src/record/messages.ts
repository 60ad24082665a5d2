/**
 * Which sentences can a record have, and which values does each need?
 *
 * The English catalogue, `data/locales/en.json`, is the list of them; every other one holds exactly its keys and placeholders, which compiling them checks. A placeholder that begins with
 * `#` is a number whose plural category (Intl.PluralRules) chooses the form; such a message is an object of forms in the catalogues, the others are one text.
 */
import type { EnglishKey } from "../trip/reasons.ts"
import type { MESSAGES } from "./messages.generated.ts"

/** The key of a message: one of the English catalogue, or a sentence about an issue, whose English stands in the engine. */
export type MessageKey = keyof typeof MESSAGES | EnglishKey

/** A catalogue's text: one template, or one a plural category, of which `other` is always there. */
export type Template = string | { readonly [category: string]: string; readonly other: string }

/** All messages of one language. */
export type Catalogue<Key extends string = MessageKey> = Readonly<Record<Key, Template>>
