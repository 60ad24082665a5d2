/**
 * What are the texts of mails in each language?
 *
 * One catalogue for each language, with the same messages and placeholders. Mails do not contain names that people entered: a stranger who
 * registers somebody's address must not be able to write to them.
 */
import Negotiator from "negotiator"
import { directionOf, LANGUAGES, type Language } from "../../src/full.ts"
import { readList } from "../validation/header-list.ts"
import { catalogues } from "./catalogues.generated.ts"

/** Every message of mails in one language. */
type MailCatalogue = Readonly<Record<keyof typeof catalogues.en, string>>

/** The catalogues by language: the files of `locales`. */
export const MAIL_CATALOGUES: Readonly<Record<Language, MailCatalogue>> = catalogues

export const MAIL_TOPICS = ["confirm", "sign_in", "payment_failed", "webhook_stopped"] as const
type MailTopic = (typeof MAIL_TOPICS)[number]

export interface MailContent {
  readonly topic: MailTopic
  readonly language: Language
  /** The name of the service: its host. */
  readonly service: string
  /** The link that the mail is sent for, on a line of its own. */
  readonly line: string
  readonly minutes: number
  /** A day, in the words of the language. */
  readonly date?: string
  /** The number of a webhook. */
  readonly webhook?: string
}

/** A mail as it is sent. */
export type WrittenMail = ReturnType<typeof writeMail>

/** Replaces `{names}` by values. */
export const fill = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)

/**
 * Escapes a text for HTML.
 *
 * @example
 * ```ts
 * escapeHtml('<a href="x">') // => "&lt;a href=&quot;x&quot;&gt;"
 * ```
 */
export const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

/** Writes a mail, as plain text and as simple HTML that says the same. */
export function writeMail({ topic, language, service, line, minutes, date = "", webhook = "" }: MailContent) {
  const catalogue = MAIL_CATALOGUES[language]
  const values = { service, minutes: String(minutes), date, webhook }
  const above = [catalogue.greeting, fill(catalogue[`${topic}.text`], values)]
  const below = [
    ...(topic === "confirm" || topic === "sign_in" ? [fill(catalogue.works_once, values), catalogue.ignore] : []),
  ]
  const shown = `<a href="${escapeHtml(line)}">${escapeHtml(line)}</a>`
  const paragraphs = [...above.map(escapeHtml), shown, ...below.map(escapeHtml)].map(html => `<p>${html}</p>`)
  const direction = directionOf(language) === "rtl" ? ' dir="rtl"' : ""
  return {
    subject: `${catalogue[`${topic}.subject`]} · ${service}`,
    text: `${[...above, line, ...below].join("\n\n")}\n`,
    html: `<!doctype html>\n<html lang="${language}"${direction}>\n<body>\n${paragraphs.join("\n")}\n</body>\n</html>\n`,
  }
}

// English first, for a client that takes any language; browsers say "fil" for Filipino.
const OFFERED = ["en", ...LANGUAGES, "fil"]

/**
 * Reads a list of languages as a browser sends it, and takes the one of highest weight that mails are written in; English where
 * none is. Of equal weights a language that is named without a region goes first.
 *
 * @example
 * ```ts
 * preferLanguage("cy, pt-BR;q=0.9, fr;q=0.8") // => "pt"
 * preferLanguage(undefined) // => "en"
 * ```
 */
export function preferLanguage(acceptLanguage: string | undefined): Language {
  const negotiator = new Negotiator({ headers: { "accept-language": readList(acceptLanguage).join() } })
  const [chosen = "en"] = negotiator.languages(OFFERED)
  return chosen === "fil" ? "tl" : (chosen as Language)
}
