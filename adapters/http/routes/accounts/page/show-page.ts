/** Which page answers a request, in which language, and with which notice? */

import { Effect } from "effect"
import { isLanguage, type Language } from "../../../../../src/full.ts"
import { CONFIRM_PATH } from "../../../../accounts/mail-dispatcher.ts"
import { LINK_MINUTES, type SignedIn } from "../../../../accounts/sessions.ts"
import { AFFILIATE_ID } from "../../../../billing/affiliates.ts"
import { preferLanguage } from "../../../../mail/texts.ts"
import { isToken } from "../../../../secrets/token.ts"
import { PLAN_IDS, type PlanId } from "../../../../settings/feature-options.ts"
import type { Unavailable } from "../../../../storage/storage-errors.ts"
import type { Answer } from "../../../pipeline/http-answer.ts"
import { type RawQuery, readQuery } from "../../../pipeline/request.ts"
import { readSessionCookie } from "../../../pipeline/session-cookie.ts"
import type { PageContext } from "../account-answers.ts"
import { type Html, html } from "./html.ts"
import {
  answerPageText,
  hiddenFields,
  type MessageName,
  makeWords,
  type Notice,
  type View,
  type Words,
  writeHidden,
  writePage,
} from "./layout.ts"
import { gatherAccount, viewOfOwner } from "./owner-view.ts"

// What does the page show to a viewer who is not signed in? Two forms, to sign in and to register; after a mailed link, one button.

/** A form that was sent, with the fields that are shown again. */
export interface SentForm {
  readonly does: "sign_in" | "register"
  readonly name: string
  readonly email: string
  readonly affiliateId: string | null
  /** The fields with mistakes. */
  readonly wrong: readonly string[]
}

interface Field {
  readonly name: "name" | "email"
  readonly label: string
  readonly value: string
  /** The mistake, if there is one. */
  readonly wrong: string | null
}

function writeField(does: SentForm["does"], { name, label, value, wrong }: Field): Html {
  const id = `${does}-${name}`
  const kind = name === "email" ? html`type="email" maxlength="254"` : html`type="text" maxlength="100"`
  const described = wrong === null ? "" : html` aria-invalid="true" aria-describedby="${id}-wrong"`
  return html`<p><label for="${id}">${label}</label>
<input id="${id}" name="${name}" ${kind} autocomplete="${name}" required value="${value}"${described}>
${wrong === null ? "" : html`<span id="${id}-wrong" class="wrong">${wrong}</span>`}</p>`
}

/** The page of a mailed link: a button that sends its token. */
const viewOfLink = ({ language, say }: Words, token: string): View => ({
  title: say("account"),
  path: CONFIRM_PATH,
  kept: { token },
  body: html`<section aria-labelledby="sign-in">
<h2 id="sign-in">${say("sign_in")}</h2>
<p>${say("confirm.text")}</p>
<form method="post" action="/account">${hiddenFields("confirm", language)}${writeHidden("token", token)}
<p><button>${say("sign_in")}</button></p>
</form>
</section>`,
})

/** The page of a viewer who is not signed in; the form to register is first if the address says so. */
function viewOfStranger(
  { language, say }: Words,
  options: {
    readonly isNew: boolean
    readonly unconfirmedRequests: number
    readonly sent: SentForm | null
    /** Who referred the viewer. */
    readonly affiliateId: string | null
  },
): View {
  const { affiliateId, isNew, unconfirmedRequests, sent } = options
  const brought = affiliateId === null ? {} : { affiliate: affiliateId }
  const fieldsOf = (does: SentForm["does"], names: readonly Field["name"][]) =>
    names.map(name => {
      const again = sent?.does === does ? sent : null
      const message: MessageName = `wrong.${name}`
      const wrong = again?.wrong.includes(name) === true ? say(message) : null
      return writeField(does, { name, label: say(name), value: again?.[name] ?? "", wrong })
    })
  const signIn = html`<section aria-labelledby="sign-in">
<h2 id="sign-in">${say("sign_in")}</h2>
<p>${say("sign_in.text")}</p>
<form method="post" action="/account">${hiddenFields("sign_in", language)}
${fieldsOf("sign_in", ["email"])}
<p><button>${say("sign_in.send")}</button></p>
</form>
</section>`
  const register = html`<section aria-labelledby="register">
<h2 id="register">${say("register")}</h2>
<p>${say("register.text", { count: unconfirmedRequests })}</p>
<form method="post" action="/account">${hiddenFields("register", language)}${affiliateId !== null && writeHidden("affiliate", affiliateId)}
${fieldsOf("register", ["name", "email"])}
<p><button>${say("register.send")}</button></p>
</form>
</section>`
  return {
    title: say("account"),
    kept: { ...(isNew ? { register: "" } : {}), ...brought },
    body: html`${isNew ? [register, signIn] : [signIn, register]}`,
  }
}

/** Who is signed in: an account, nobody, or the owner of an account that an operator has disabled. */
export type Viewer =
  | ({ readonly kind: "owner" } & SignedIn)
  | { readonly kind: "disabled" }
  | { readonly kind: "stranger" }

/** Finds who has sent a request. */
export function findViewer(context: PageContext): Effect.Effect<Viewer, Unavailable> {
  const shown = readSessionCookie(context.request.header("cookie"))
  if (shown.kind !== "token") return Effect.succeed({ kind: "stranger" })
  return Effect.map(context.sessions.find(shown.token), found =>
    found === null
      ? { kind: "stranger" }
      : found.account.isDisabled
        ? { kind: "disabled" }
        : { kind: "owner", ...found },
  )
}

/** The language of a page: the requested one, the owner's, or the one that the browser prefers. */
export function chooseLanguage(context: PageContext, asked: unknown, viewer: Viewer): Language {
  if (isLanguage(asked)) return asked
  const own = viewer.kind === "owner" ? viewer.account.language : null
  return own ?? preferLanguage(context.request.header("accept-language"))
}

/** What a page shows besides the account's data. */
export interface Shown {
  readonly status?: number
  readonly notices?: readonly Notice[]
  readonly sent?: SentForm
  readonly headers?: readonly string[]
}

/** Shows the page to the sender of a request. */
export const showPage = (
  context: PageContext,
  viewer: Viewer,
  language: Language,
  { status = 200, notices = [], sent, headers }: Shown = {},
): Effect.Effect<Answer, Unavailable> =>
  Effect.gen(function* () {
    const words = makeWords(language)
    const query = readQuery(context.request.search)
    if (viewer.kind === "owner") {
      const owned = yield* gatherAccount(context, viewer, query)
      return answerPageText(status, writePage(words, viewOfOwner(words, owned, readPlan(query)), notices), headers)
    }
    const { unconfirmedRequests } = context.plans
    const isNew = sent === undefined ? query.register !== undefined : sent.does === "register"
    const affiliateId = sent?.affiliateId ?? readAffiliate(query.affiliate)
    const view = viewOfStranger(words, { affiliateId, isNew, unconfirmedRequests, sent: sent ?? null })
    const disabled: Notice = { kind: "wrong", message: "wrong.disabled" }
    const said = viewer.kind === "disabled" ? [disabled, ...notices] : notices
    return answerPageText(status, writePage(words, view, said), headers)
  })

/** The affiliate whose link was followed; null for none. */
export const readAffiliate = (id: unknown): string | null =>
  typeof id === "string" && AFFILIATE_ID.test(id) ? id : null

/** The plan in the address; the first paid one by default. */
const readPlan = ({ plan }: RawQuery): PlanId | null => PLAN_IDS.find(id => id === plan) ?? null

/** The notices that an address may select. */
const SAID = [
  ...(["signed_out", "confirmed", "pinged", "replayed", "webhook_enabled", "webhook_ended", "key_ended"] as const),
  ...(["sessions_ended", "team_key_ended", "erased", "bought", "not_bought", "referral_declined"] as const),
]

/** A link that no longer works. */
export const SPENT_LINK: Notice = { kind: "wrong", message: "wrong.link", values: { minutes: LINK_MINUTES } }

/** The notices after a return from the payment provider. */
const CHECKOUTS: Readonly<Record<string, string>> = { done: "bought", canceled: "not_bought" }

export const openPage = (context: PageContext): Effect.Effect<Answer, Unavailable> =>
  Effect.gen(function* () {
    const query = readQuery(context.request.search)
    const viewer = yield* findViewer(context)
    const named = typeof query.checkout === "string" ? CHECKOUTS[query.checkout] : query.said
    const notices = SAID.filter(said => said === named).map(
      (said): Notice => ({ kind: said === "not_bought" ? "wrong" : "done", message: `said.${said}` }),
    )
    return yield* showPage(context, viewer, chooseLanguage(context, query.lang, viewer), { notices })
  })

/** Answers a browser that opens a mailed link: with its button, or with the reason why it does not work. Changes nothing. */
export const showLink = (context: PageContext): Effect.Effect<Answer, Unavailable> => {
  const { token, lang } = readQuery(context.request.search)
  const stranger: Viewer = { kind: "stranger" }
  const language = chooseLanguage(context, lang, stranger)
  if (typeof token !== "string" || !isToken(token))
    return showPage(context, stranger, language, { status: 400, notices: [SPENT_LINK] })
  const words = makeWords(language)
  return Effect.succeed(answerPageText(200, writePage(words, viewOfLink(words, token), [])))
}
