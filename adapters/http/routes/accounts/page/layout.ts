/**
 * The frame of every view of the page: the head, the language, the last result, and a link to the reference.
 *
 * The page is plain HTML and forms. Its only script copies a text at a button; everything else works without it.
 */
import { directionOf, LANGUAGES, type Language } from "../../../../../src/full.ts"
import { fill } from "../../../../mail/texts.ts"
import { ACCOUNT_PATH } from "../../../../settings/site-links.ts"
import { type Answer, NOT_STORED } from "../../../pipeline/http-message.ts"
import { catalogues } from "./catalogues.generated.ts"
import { type Html, html } from "./html.ts"

// What are the texts of the account page in each language?
// One catalogue for each language, with the same messages and placeholders. Numbers and days are formatted for the language.

export type MessageName = keyof typeof catalogues.en

export type PageCatalogue = Readonly<Record<MessageName, string>>

/** The catalogues by language: the files of `locales`. */
export const PAGE_CATALOGUES: Readonly<Record<Language, PageCatalogue>> = catalogues

const collator = new Intl.Collator("en")

/** The own name of each language, in the order in which they are offered: by script, then by letter. */
const OWN_NAMES: readonly (readonly [Language, string])[] = LANGUAGES.map(
  language => [language, PAGE_CATALOGUES[language]["language.own_name"]] as const,
).sort(([, a], [, b]) => collator.compare(a, b))

export type MessageValues = Readonly<Record<string, string | number>>

/** Formats texts in one language. */
export interface Words {
  readonly language: Language
  readonly direction: "ltr" | "rtl"
  readonly say: (name: MessageName, values?: MessageValues) => string
  readonly number: (value: number) => string
  /** A day of a calendar date or an instant, in UTC. */
  readonly day: (at: string) => string
  /** The month of a calendar date, in UTC. */
  readonly month: (on: string) => string
  /** An amount in the smallest unit of a currency (ISO 4217), as the payment provider writes it. */
  readonly money: (amount: number, currency: string) => string
}

/** Currencies without a smaller unit that the payment provider nevertheless writes in hundredths. */
const IN_HUNDREDTHS = new Set(["isk", "ugx"])

/** Made once for each language: `Intl`'s formats took a sixth of the time of a page. */
const wordsByLanguage = new Map<Language, Words>()

export function makeWords(language: Language): Words {
  const known = wordsByLanguage.get(language)
  if (known !== undefined) return known
  const tag = language === "tl" ? "fil" : language
  const numbers = new Intl.NumberFormat(tag)
  const days = new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeZone: "UTC" })
  const months = new Intl.DateTimeFormat(tag, { month: "long", year: "numeric", timeZone: "UTC" })
  const number = (value: number) => numbers.format(value)
  const words: Words = {
    language,
    direction: directionOf(language),
    number,
    day: at => days.format(Date.parse(at)),
    month: on => months.format(Date.parse(on)),
    money: (amount, currency) => {
      const format = new Intl.NumberFormat(tag, { style: "currency", currency })
      const digits = IN_HUNDREDTHS.has(currency) ? 2 : (format.resolvedOptions().maximumFractionDigits ?? 2)
      return format.format(amount / 10 ** digits)
    },
    say: (name, values = {}) => {
      const written = Object.entries(values).map(([key, value]) => [
        key,
        typeof value === "number" ? number(value) : value,
      ])
      return fill(PAGE_CATALOGUES[language][name], Object.fromEntries(written))
    },
  }
  wordsByLanguage.set(language, words)
  return words
}

/** The result of the last action, or why it failed. */
export interface Notice {
  readonly kind: "done" | "wrong"
  readonly message: MessageName
  readonly values?: MessageValues
  /** Something to copy, such as a key. */
  readonly shown?: string
  /** The address of the service, where that is the key of somebody who makes a first request next. */
  readonly publicUrl?: string
}

/** The contents of a page, without its frame. */
export interface View {
  readonly title: string
  readonly body: Html
  /** The button to sign out, and anything else in the head. */
  readonly head?: Html
  /** The path of the page, if it is not the account's. */
  readonly path?: string
  /** The parameters of the page's address that are kept when the language changes. */
  readonly kept?: Readonly<Record<string, string>>
  /** Whether it belongs to an owner, whose choice of a language is stored. */
  readonly isOwned?: boolean
}

/** The paths of the style and of the script for the copy buttons. */
const STYLE_PATH = "/account.css"
const SCRIPT_PATH = "/account.js"

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ")

/** The headers of every answer of the page. A form sent without a referrer has no origin either, so the page's own host gets the referrer. */
const PAGE_HEADERS: readonly string[] = [
  ...NOT_STORED,
  ...["content-security-policy", POLICY],
  ...["referrer-policy", "same-origin", "x-frame-options", "DENY"],
  ...["cross-origin-opener-policy", "same-origin", "cross-origin-resource-policy", "same-origin"],
]

/** A hidden field. */
export const writeHidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}">`

const writeLanguages = (
  { language, say }: Words,
  { isOwned = false, kept = {}, path = ACCOUNT_PATH }: Pick<View, "isOwned" | "kept" | "path">,
): Html => html`<form method="${isOwned ? "post" : "get"}" action="${path}">
${isOwned ? writeHidden("do", "language") : Object.entries(kept).map(([name, value]) => writeHidden(name, value))}
<label for="lang">${say("language")}</label>
<select id="lang" name="lang">${OWN_NAMES.map(
  ([code, name]) =>
    html`<option value="${code}" lang="${code}"${code === language ? html` selected` : ""}>${name}</option>`,
)}</select>
<button>${say("language.choose")}</button>
</form>`

/** The first request with a key, as a line that works. */
export const writeFirstRequest = (publicUrl: string, key: string): string =>
  `curl -H 'x-api-key: ${key}' '${publicUrl}/api/v1/visa?passport=IND&destination=DEU'`

/** What the owner of a new key does next: he asks with it, here or in the reference, which has it filled in. */
const writeNextSteps = (words: Words, key: string, publicUrl: string): Html =>
  section(
    "first",
    words.say("first"),
    html`<p>${copyable(words, "first-request", writeFirstRequest(publicUrl, key))}</p>
<p><a href="/docs#key=${key}">${words.say("reference")}</a></p>`,
  )

function writeNotice({ kind, message, values, shown, publicUrl }: Notice, isFirst: boolean, words: Words): Html {
  // A screen reader announces only changes, not what was there from the start, so the notice gets the focus.
  return html`<div class="notice ${kind}" role="${kind === "wrong" ? "alert" : "status"}" tabindex="-1"${isFirst && html` autofocus`}>
<p>${words.say(message, values)}</p>
${shown === undefined ? "" : html`<p>${publicUrl !== undefined && html`<strong>${words.say("key")}</strong> `}${copyable(words, isFirst ? "shown-once" : "", shown)}</p>`}
</div>`
}

export function writePage(words: Words, view: View, notices: readonly Notice[]): string {
  const { language, direction, say } = words
  const [first] = notices
  const { shown: newKey, publicUrl } = notices.find(notice => notice.publicUrl !== undefined) ?? {}
  const title = [...(first === undefined ? [] : [say(first.message, first.values)]), view.title, "Landfall"].join(" · ")
  return html`<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="stylesheet" href="${STYLE_PATH}">
<script src="${SCRIPT_PATH}" defer></script>
</head>
<body>
<header>
<p class="mark"><a href="/">Landfall</a></p>
<div class="tools">${writeLanguages(words, view)}${view.head ?? ""}</div>
</header>
<main>
<h1>${view.title}</h1>
${notices.map((notice, at) => writeNotice(notice, at === 0, words))}
${newKey === undefined || publicUrl === undefined ? view.body : writeNextSteps(words, newKey, publicUrl)}
</main>
<footer><p><a href="/docs">${say("reference")}</a></p></footer>
</body>
</html>
`.text
}

/** The hidden fields of a form: its action, and the language of its page. */
export const hiddenFields = (does: string, language: Language): Html =>
  html`${writeHidden("do", does)}${writeHidden("lang", language)}`

export const answerPageText = (status: number, text: string, headers: readonly string[] = []): Answer => ({
  status,
  contentType: "text/html; charset=utf-8",
  headers: [...PAGE_HEADERS, ...headers],
  body: text,
})

export const form = ({ language }: Words, does: string, body: Html): Html =>
  html`<form method="post" action="/account">${hiddenFields(does, language)}${body}</form>`

/** A part of the page with its heading. */
export const section = (id: string, heading: string, body: Html): Html =>
  html`<section id="${id}" aria-labelledby="${id}-heading"><h2 id="${id}-heading">${heading}</h2>
${body}
</section>`

/** A table with named columns, which scrolls on a narrow screen; `none` replaces one without rows. */
export const table = (
  { say }: Words,
  id: string,
  label: string,
  columns: readonly (MessageName | Html)[],
  rows: readonly Html[],
  none?: Html | null | false,
): Html =>
  rows.length === 0 && none !== undefined
    ? html`${none}`
    : html`<div class="wide" role="group" aria-label="${label}" tabindex="0"><table id="${id}">
<thead><tr>${columns.map(column => html`<th scope="col">${typeof column === "string" ? say(column) : column}</th>`)}</tr></thead>
<tbody>${rows}</tbody></table></div>`

/** An instant to the minute, in UTC. */
export const writeInstant = ({ day }: Words, at: string): Html =>
  html`<time datetime="${at}">${day(at)} ${at.slice(11, 16)} UTC</time>`

/**
 * A text with a copy button, which {@link SCRIPT_PATH} shows if the browser can copy. `copied` is the copied text, if it differs from the
 * shown one.
 */
export const copyable = ({ say }: Words, id: string, shown: string, copied = shown): Html =>
  html`<code id="${id}" class="key" translate="no">${shown}</code>
<button type="button" class="copy" data-copy="${copied}" data-done="${say("copied")}" hidden>${say("copy")}</button>`
