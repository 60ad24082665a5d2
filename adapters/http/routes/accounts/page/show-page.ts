/** Which page answers a request, in which language, and with which notice? */
import { Effect } from "effect"
import { isLanguage, type Language } from "../../../../../src/full.ts"
import { LINK_MINUTES, type SignedIn } from "../../../../accounts/sessions.ts"
import { AFFILIATE_ID } from "../../../../billing/affiliates.ts"
import { preferLanguage } from "../../../../mail/texts.ts"
import { isToken } from "../../../../secrets/token.ts"
import { PLAN_IDS, type PlanId } from "../../../../settings/feature-options.ts"
import type { Unavailable } from "../../../../storage/storage-errors.ts"
import type { Answer } from "../../../pipeline/http-answer.ts"
import { type RawQuery, readQuery } from "../../../pipeline/request.ts"
import { readSessionCookie } from "../../../pipeline/session-cookie.ts"
import type { PageContext } from "../page-needs.ts"
import { makeWords } from "./account-page-words.ts"
import { answerPageText, type Notice, writePage } from "./layout.ts"
import { gatherAccount, viewOfOwner } from "./owner-view.ts"
import { type SentForm, viewOfLink, viewOfStranger } from "./stranger-view.ts"

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
