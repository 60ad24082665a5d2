/**
 * How does a form of the page answer?
 *
 * With the page again and the result, or by a redirect to a page that can be reloaded safely.
 */
import { Effect } from "effect"
import type { Language } from "../../../../../src/full.ts"
import type { TriedTooOften } from "../../../../accounts/attempts.ts"
import type { SignedIn } from "../../../../accounts/sessions.ts"
import type { NoMail } from "../../../../accounts/signup.ts"
import { ACCOUNT_PATH } from "../../../../settings/site-links.ts"
import type { Unavailable } from "../../../../storage/storage-errors.ts"
import type { Answer } from "../../../pipeline/http-answer.ts"
import { type ParameterTable, readParameters, type ValuesOf } from "../../../pipeline/parameters.ts"
import type { RawQuery } from "../../../pipeline/request.ts"
import type { FormContext } from "../page-needs.ts"
import type { MessageName, MessageValues } from "./account-page-words.ts"
import type { Notice } from "./layout.ts"
import { type Shown, showPage, type Viewer } from "./show-page.ts"

export interface Sent {
  readonly context: FormContext
  readonly form: RawQuery
  readonly viewer: Viewer
  readonly language: Language
}

export interface OwnersForm extends Sent, SignedIn {}

export type Acting = Effect.Effect<Answer, TriedTooOften | NoMail | Unavailable>

export const wrong = (message: MessageName, values: MessageValues = {}): Notice => ({ kind: "wrong", message, values })
export const done = (message: MessageName, values: MessageValues = {}, shown?: string): Notice => ({
  kind: "done",
  message,
  values,
  ...(shown === undefined ? {} : { shown }),
})

/** Shows the page again, with the result. */
export const show = ({ context, viewer, language }: Sent, shown: Shown) => showPage(context, viewer, language, shown)

export const refuse = (sent: Sent, status: number, notice: Notice) => show(sent, { status, notices: [notice] })

/** Redirects the browser to the page, optionally to a part of it, with a notice about the result. Reloading does nothing. */
export const goBack = (
  { language }: Sent,
  said: string | null,
  headers: readonly string[] = [],
  at: Readonly<Record<string, string>> = {},
): Effect.Effect<Answer> => {
  const query = new URLSearchParams({ ...at, ...(said === null ? {} : { said }), lang: language })
  return Effect.succeed({
    status: 303,
    contentType: "",
    headers: ["location", `${ACCOUNT_PATH}?${query}`, "cache-control", "no-store", ...headers],
    body: "",
  })
}

/** Reads the fields of a form; a field with an impossible value was not filled in on the page. */
export function withFields<const Table extends ParameterTable>(
  table: Table,
  act: (sent: OwnersForm, fields: ValuesOf<Table>) => Acting,
): (sent: OwnersForm) => Acting {
  return sent => {
    const read = readParameters(table, sent.form)
    return read.ok ? act(sent, read.values as ValuesOf<Table>) : refuse(sent, 400, wrong(nameMistake(read.issues)))
  }
}

export function nameMistake(issues: readonly { readonly path: string }[]): MessageName {
  const [first] = issues
  return first?.path === "name" ? "wrong.name" : first?.path === "email" ? "wrong.email" : "wrong.form"
}

export const readText = (value: RawQuery[string] | undefined): string =>
  typeof value === "string" ? value.slice(0, 300) : ""

/** The page for an account that was erased before its form arrived. */
export const gone = (sent: Sent) => () => refuse({ ...sent, viewer: { kind: "stranger" } }, 401, wrong("wrong.ended"))

/** For actions that show a key or cannot be undone: requires that a link was followed within the hour. */
export const freshly =
  (act: (sent: OwnersForm) => Acting): ((sent: OwnersForm) => Acting) =>
  sent =>
    sent.isFresh ? act(sent) : refuse(sent, 401, wrong("wrong.stale"))
