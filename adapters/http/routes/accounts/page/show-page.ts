/**
 * Which page answers a request, in which language and with which notice, and what does each form of the page do?
 *
 * Every form is sent to `/account` and names its action. A browser sends the session's cookie automatically, so forms that another site
 * submits are refused first. The result is shown by a redirect to a page that can be reloaded safely; only a key that is shown once is part
 * of the answer itself.
 */
import { Effect } from "effect"
import { isLanguage, type Language } from "../../../../../src/full.ts"
import { foldEmail } from "../../../../accounts/account.ts"
import type { MadeKey } from "../../../../accounts/accounts.ts"
import type { TriedTooOften } from "../../../../accounts/attempts.ts"
import { actingAs } from "../../../../accounts/audit-trail.ts"
import { SCOPES } from "../../../../accounts/key-limits.ts"
import { CONFIRM_PATH } from "../../../../accounts/mail-dispatcher.ts"
import { readNewKey } from "../../../../accounts/read-new-key.ts"
import { LINK_MINUTES, type SignedIn } from "../../../../accounts/sessions.ts"
import { AFFILIATE_ID } from "../../../../billing/affiliates.ts"
import { EVENT_TYPES, readSubscription } from "../../../../events/followers/subscription.ts"
import type { MailDelivery } from "../../../../mail/mails.ts"
import { preferLanguage } from "../../../../mail/texts.ts"
import { lowestPlanWith } from "../../../../plans/plans.ts"
import { isToken } from "../../../../secrets/sealing.ts"
import { BILLING_PERIODS, type PaidPlanId, PLAN_IDS, type PlanId } from "../../../../settings/feature-options.ts"
import { ACCOUNT_PATH, signInUrl } from "../../../../settings/site-links.ts"
import type { Unavailable } from "../../../../storage/storage-errors.ts"
import { familyOf } from "../../../../validation/addresses.ts"
import {
  choice,
  idOf,
  optional,
  type Parameter,
  type ParameterTable,
  parsed,
  type Refused,
  readParameters,
  textThat,
  type ValuesOf,
} from "../../../pipeline/endpoint.ts"
import { type Answer, type RawQuery, readQuery } from "../../../pipeline/http-message.ts"
import {
  clearSession,
  comesFromElsewhere,
  readBroughtBy,
  readSessionCookie,
  setBroughtBy,
  setSession,
} from "../../../pipeline/session-cookie.ts"
import { describeRefusal, email, type FormContext, name, type PageContext } from "../account-answers.ts"
import { type Html, html } from "./html.ts"
import {
  answerPageText,
  hiddenFields,
  type MessageName,
  type MessageValues,
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
interface SentForm {
  readonly does: "sign_in" | "register"
  readonly name: string
  readonly email: string
  readonly affiliateId: string | null
  /** The fields with mistakes. */
  readonly wrong: readonly string[]
}

/** A field of a form, with what was sent before and the mistake in that. */
function writeField({ say }: Words, does: SentForm["does"], name: "name" | "email", sent: SentForm | undefined): Html {
  const id = `${does}-${name}`
  const again = sent?.does === does ? sent : undefined
  const kind = name === "email" ? html`type="email" maxlength="254"` : html`type="text" maxlength="100"`
  const isWrong = again?.wrong.includes(name) === true
  return html`<p><label for="${id}">${say(name)}</label>
<input id="${id}" name="${name}" ${kind} autocomplete="${name}" required value="${again?.[name] ?? ""}"${isWrong && html` aria-invalid="true" aria-describedby="${id}-wrong"`}>
${isWrong && html`<span id="${id}-wrong" class="wrong">${say(`wrong.${name}`)}</span>`}</p>`
}

/** A form with its heading and a sentence about it. */
const writeForm = (
  words: Words,
  does: string,
  { heading, text, send }: { readonly heading: MessageName; readonly text: string; readonly send: MessageName },
  fields: Html,
): Html => {
  const id = heading.replace("_", "-")
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${words.say(heading)}</h2>
<p>${text}</p>
<form method="post" action="/account">${hiddenFields(does, words.language)}${fields}
<p><button>${words.say(send)}</button></p>
</form>
</section>`
}

/** The page of a mailed link: a button that sends its token. */
const viewOfLink = (words: Words, token: string): View => {
  const about = { heading: "sign_in", text: words.say("confirm.text"), send: "sign_in" } as const
  const body = writeForm(words, "confirm", about, writeHidden("token", token))
  return { title: words.say("account"), path: CONFIRM_PATH, kept: { token }, body }
}

/** The page of a viewer who is not signed in, and who referred him; the form to register is first if the address says so. */
function viewOfStranger(
  words: Words,
  options: {
    readonly isNew: boolean
    readonly unconfirmedRequests: number
    readonly sent: SentForm | undefined
    readonly affiliateId: string | null
  },
): View {
  const { affiliateId, isNew, unconfirmedRequests: count, sent } = options
  const { say } = words
  const toSignIn = { heading: "sign_in", text: say("sign_in.text"), send: "sign_in.send" } as const
  const signIn = writeForm(words, "sign_in", toSignIn, html`\n${writeField(words, "sign_in", "email", sent)}`)
  const brought = affiliateId !== null && writeHidden("affiliate", affiliateId)
  const toRegister = { heading: "register", text: say("register.text", { count }), send: "register.send" } as const
  const fields = html`${brought}\n${writeField(words, "register", "name", sent)}${writeField(words, "register", "email", sent)}`
  const register = writeForm(words, "register", toRegister, fields)
  return {
    title: say("account"),
    kept: { ...(isNew && { register: "" }), ...(affiliateId !== null && { affiliate: affiliateId }) },
    body: html`${isNew ? [register, signIn] : [signIn, register]}`,
  }
}

/** Who is signed in: an account, nobody, or the owner of an account that an operator has disabled. */
type Viewer = ({ readonly kind: "owner" } & SignedIn) | { readonly kind: "disabled" } | { readonly kind: "stranger" }

/** Finds who has sent a request. */
function findViewer(context: PageContext): Effect.Effect<Viewer, Unavailable> {
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
function chooseLanguage(context: PageContext, asked: unknown, viewer: Viewer): Language {
  if (isLanguage(asked)) return asked
  const own = viewer.kind === "owner" ? viewer.account.language : null
  return own ?? preferLanguage(context.request.header("accept-language"))
}

/** What a page shows besides the account's data. */
interface Shown {
  readonly status?: number
  readonly notices?: readonly Notice[]
  readonly sent?: SentForm
  readonly headers?: readonly string[]
}

/** Shows the page to the sender of a request. */
const showPage = (
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
    const view = viewOfStranger(words, { affiliateId, isNew, unconfirmedRequests, sent })
    const disabled: Notice = { kind: "wrong", message: "wrong.disabled" }
    const said = viewer.kind === "disabled" ? [disabled, ...notices] : notices
    return answerPageText(status, writePage(words, view, said), headers)
  })

/** The affiliate whose link was followed; null for none. */
const readAffiliate = (id: unknown): string | null => (typeof id === "string" && AFFILIATE_ID.test(id) ? id : null)

/** The plan in the address; the first paid one by default. */
const readPlan = ({ plan }: RawQuery): PlanId | null => PLAN_IDS.find(id => id === plan) ?? null

/** The notices that an address may select. */
const SAID = [
  ...(["signed_out", "confirmed", "pinged", "replayed", "webhook_enabled", "webhook_ended", "key_ended"] as const),
  ...(["sessions_ended", "team_key_ended", "erased", "bought", "not_bought", "referral_declined"] as const),
]

/** A link that no longer works. */
const SPENT_LINK: Notice = { kind: "wrong", message: "wrong.link", values: { minutes: LINK_MINUTES } }

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

// How does a form of the page answer?
// With the page again and the result, or by a redirect to a page that can be reloaded safely.

interface Sent {
  readonly context: FormContext
  readonly form: RawQuery
  readonly viewer: Viewer
  readonly language: Language
}

interface OwnersForm extends Sent, SignedIn {}

type Failure = Refused | TriedTooOften | Unavailable

type Acting = Effect.Effect<Answer, Failure>

const wrong = (message: MessageName, values: MessageValues = {}): Notice => ({ kind: "wrong", message, values })
const done = (message: MessageName, values: MessageValues = {}, shown?: string): Notice => ({
  kind: "done",
  message,
  values,
  ...(shown === undefined ? {} : { shown }),
})

/** Shows the page again, with the result. */
const show = ({ context, viewer, language }: Sent, shown: Shown) => showPage(context, viewer, language, shown)

const refuse = (sent: Sent, status: number, notice: Notice) => show(sent, { status, notices: [notice] })

/** Redirects the browser to the page, optionally to a part of it, with a notice about the result. Reloading does nothing. */
const goBack = (
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

/** Shows the page again with something that is shown once: a whole key or a secret. */
const showOnce = (sent: Sent, message: MessageName, values: MessageValues, shown: string) =>
  show(sent, { notices: [done(message, values, shown)] })

function nameMistake(issues: readonly { readonly path: string }[]): MessageName {
  const [first] = issues
  return first?.path === "name" ? "wrong.name" : first?.path === "email" ? "wrong.email" : "wrong.form"
}

const readText = (value: RawQuery[string] | undefined): string => (typeof value === "string" ? value.slice(0, 300) : "")

const readWords = (value: RawQuery[string] | undefined): readonly string[] =>
  readText(value)
    .split(/[\s,]+/)
    .filter(word => word !== "")

/** Says where the link is: in the mailbox, or in the log, or nowhere. */
const describeLink = (delivery: MailDelivery, mailed: Notice): Notice =>
  delivery === "smtp" ? mailed : done(delivery === "log" ? "said.in_log" : "said.not_mailed")

/** Shows a form again with the given values and the mistakes. */
const showAgain = (sent: Sent, does: SentForm["does"], issues: readonly { readonly path: string }[]) => {
  const { affiliate, email, name } = sent.form
  const again = { does, name: readText(name), email: readText(email), affiliateId: readAffiliate(affiliate) }
  return show(sent, {
    status: 400,
    notices: [wrong(nameMistake(issues))],
    sent: { ...again, wrong: issues.map(({ path }) => path) },
  })
}

/** Who asks for a mail. */
const askingOf = ({ context, language }: Sent) => ({
  client: context.clients.name(context.request),
  language,
})

const signIn = (sent: Sent): Acting => {
  const read = readParameters({ email }, sent.form)
  if (!read.ok) return showAgain(sent, "sign_in", read.issues)
  const { signup } = sent.context
  const asked = signup.askForLink({ email: read.values.email as string, ...askingOf(sent) })
  const notice = describeLink(signup.delivery, done("said.link", { minutes: LINK_MINUTES }))
  return Effect.andThen(asked, show(sent, { notices: [notice] }))
}

const register = (sent: Sent): Acting => {
  const read = readParameters({ name, email }, sent.form)
  if (!read.ok) return showAgain(sent, "register", read.issues)
  const { signup, site } = sent.context
  const person = read.values as { readonly name: string; readonly email: string }
  const affiliateId = readAffiliate(sent.form.affiliate)
  return Effect.gen(function* () {
    const { apiKey, isShown } = yield* signup.register({ ...person, ...askingOf(sent) })
    // Only the owner of an account is asked who referred him: the browser stores it until the address is confirmed there.
    const headers = affiliateId === null ? [] : setBroughtBy(site, affiliateId)
    const mailed = done("said.registered", { email: person.email, minutes: LINK_MINUTES })
    const notice = describeLink(signup.delivery, mailed)
    return yield* show(sent, {
      notices: [isShown ? { ...notice, shown: apiKey, publicUrl: site.publicUrl } : notice],
      headers,
    })
  })
}

const token = textThat("the token of a mailed link", isToken, { description: "The token of a mailed link." })

/** Follows a mailed link, after its button was pressed. */
const confirm = (sent: Sent): Acting => {
  const read = readParameters({ token }, sent.form)
  if (!read.ok) return refuse(sent, 400, SPENT_LINK)
  const { affiliates, clients, sessions, signup, site } = sent.context
  const broughtBy = readAffiliate(readBroughtBy(sent.context.request.header("cookie")))
  return Effect.gen(function* () {
    yield* signup.limit("confirm", clients.name(sent.context.request))
    const family = familyOf(clients.address(sent.context.request))
    const signedIn = yield* sessions.follow(read.values.token as string, family)
    if (signedIn === null) return yield* refuse(sent, 400, SPENT_LINK)
    if (!signedIn.hasConfirmed) return yield* goBack(sent, null, setSession(site, signedIn.token))
    // An affiliate that is unknown, or the owner's own, is not credited.
    if (broughtBy !== null) yield* affiliates.refer(signedIn.account, broughtBy)
    const forget = broughtBy === null ? [] : setBroughtBy(site, null)
    return yield* goBack(sent, "confirmed", [...setSession(site, signedIn.token), ...forget])
  })
}

/**
 * Redirects the browser to a page of the payment provider. It is not a redirect of the form itself, because the page's policy allows forms
 * to go nowhere else; it uses a header, and a link for browsers that ignore it.
 */
function sendOn({ language, ...sent }: Sent, url: string): Effect.Effect<Answer, Unavailable> {
  const address = URL.parse(url)
  if (address === null || !/^https?:$/.test(address.protocol))
    return refuse({ language, ...sent }, 503, wrong("wrong.provider"))
  const words = makeWords(language)
  const body = html`<p><a href="${address.href}">${words.say("plan.go_on")}</a></p>`
  const page = writePage(words, { title: words.say("plan"), body }, [])
  return Effect.succeed(answerPageText(200, page, ["refresh", `0;url=${address.href}`]))
}

const offer = parsed(
  "a plan and a period",
  text => {
    const [, plan, period] = /^(hobby|starter|pro|business) (monthly|annual)$/.exec(text) ?? []
    const known = BILLING_PERIODS.find(name => name === period)
    return known === undefined ? undefined : { plan: plan as PaidPlanId, period: known }
  },
  { description: "The plan to buy." },
)

/** Actions that anybody can do. */
const OPEN: Readonly<Record<string, (sent: Sent) => Acting>> = { sign_in: signIn, register, confirm }

/** The sentences about plans that lack something. */
const NEEDED = { teamKeys: "team_keys.needed", webhooks: "webhooks.needed" } as const

/** An action that needs a session. */
interface Action<Table extends ParameterTable> {
  /** Whether it shows a key or cannot be undone: a link has to have been followed within the hour. */
  readonly isFresh?: true
  /** What the plan has to include. */
  readonly feature?: keyof typeof NEEDED
  /** The fields of its form; one with an impossible value was not filled in on the page. */
  readonly fields?: Table
  readonly act: (sent: OwnersForm, fields: ValuesOf<Table>, context: FormContext) => Acting
}

/** Defines an action; the types of its fields follow from their table. */
const action =
  <const Table extends ParameterTable = Readonly<Record<never, never>>>({
    isFresh,
    feature,
    fields,
    act,
  }: Action<Table>) =>
  (sent: OwnersForm): Acting => {
    const { plans } = sent.context
    if (isFresh && !sent.isFresh) return refuse(sent, 401, wrong("wrong.stale"))
    if (feature !== undefined && !plans.byId[sent.account.plan][feature])
      return refuse(sent, 403, wrong(NEEDED[feature], { plan: lowestPlanWith(feature, plans) ?? "–" }))
    const read = readParameters(fields ?? {}, sent.form)
    if (!read.ok) return refuse(sent, 400, wrong(nameMistake(read.issues)))
    return act(sent, read.values as ValuesOf<Table>, sent.context)
  }

const sure: Parameter<string> = choice(["yes"], { description: "That the key is to be replaced." })
const keyId = { id: idOf({ description: "The key." }) }
const webhookId = { id: idOf({ description: "The webhook." }) }
const delivery = idOf({ description: "The delivery." })

/** Shows a whole key, once. */
const showMade = (sent: Sent) =>
  Effect.flatMap(({ accountKey: { name }, key }: MadeKey) => showOnce(sent, "said.team_key_made", { name }, key))

/** The webhooks that a form is about: those of test keys have their own sender. */
const webhooksOf = ({ context: { webhooks }, form }: OwnersForm) =>
  readText(form.mode) === "test" ? webhooks.test : webhooks

/** Opens a page of the payment provider. */
const goToProvider = (sent: OwnersForm, open: Effect.Effect<string, Failure>): Acting =>
  sent.context.signup.limit("billing", String(sent.account.id)).pipe(
    Effect.andThen(open),
    Effect.flatMap(url => sendOn(sent, url)),
  )

/**
 * Actions that need a session: those of keys, of webhooks (the same as the endpoints, under the same limits), of payments and of the account.
 * A whole key or a secret is shown only in the answer that makes it.
 */
const OWNED: Readonly<Record<string, (sent: OwnersForm) => Acting>> = {
  sign_out: action({
    act: (sent, _, { sessions, site }) =>
      Effect.andThen(sessions.end(sent.token), goBack(sent, "signed_out", clearSession(site))),
  }),
  sign_out_everywhere: action({
    act: (sent, _, { sessions, site }) =>
      Effect.andThen(sessions.endAll(sent.account.id), goBack(sent, "sessions_ended", clearSession(site))),
  }),
  make_key: action({
    isFresh: true,
    act: (sent, _, { accounts }) => Effect.andThen(accounts.ensureKey(sent.account.id), goBack(sent, null)),
  }),
  replace_key: action({
    isFresh: true,
    fields: { sure, end_team_keys: optional(sure) },
    act: (sent, { end_team_keys: ending }, { accounts }) =>
      Effect.flatMap(accounts.regenerateKey(sent.account.id, { endsTeamKeys: ending === "yes" }), ({ key }) =>
        showOnce(sent, "said.key_replaced", {}, key),
      ),
  }),
  make_named_key: action({
    isFresh: true,
    act: (sent, _, { accounts, nowMs }) => {
      const { name, mode, until, from } = sent.form
      const scopes = SCOPES.filter(scope => sent.form[`scope_${scope}`] === "yes")
      const ends = until === undefined || until === "" ? {} : { expires_at: `${readText(until)}T00:00:00Z` }
      const read = readNewKey({ name, mode, scopes, allowed_addresses: readWords(from), ...ends }, nowMs)
      if (!read.ok) return refuse(sent, 400, wrong("wrong.key"))
      const { name: called, ...limits } = read.value
      return accounts.createKey(sent.account.id, called, limits).pipe(showMade(sent))
    },
  }),
  rotate_key: action({
    isFresh: true,
    fields: keyId,
    act: (sent, { id }, { accounts }) => accounts.rotateKey(sent.account.id, id).pipe(showMade(sent)),
  }),
  end_key: action({
    fields: keyId,
    act: (sent, { id }, { accounts }) =>
      Effect.andThen(accounts.endKey(sent.account.id, id), goBack(sent, "key_ended")),
  }),
  make_team_key: action({
    isFresh: true,
    feature: "teamKeys",
    fields: { name },
    act: (sent, { name }, { accounts }) => accounts.createTeamKey(sent.account.id, name).pipe(showMade(sent)),
  }),
  end_team_key: action({
    fields: keyId,
    act: (sent, { id }, { accounts }) =>
      accounts.endKey(sent.account.id, id, "team").pipe(
        Effect.andThen(goBack(sent, "team_key_ended")),
        Effect.catchTag("NoSuchKey", () => refuse(sent, 404, wrong("wrong.team_key"))),
      ),
  }),
  make_webhook: action({
    isFresh: true,
    feature: "webhooks",
    act: (sent, _, { dataset, targets, webhooks }) => {
      const { account, form } = sent
      const body = {
        url: form.url,
        events: EVENT_TYPES.filter(type => form[`type_${type.replace(".", "_")}`] === "yes"),
        passports: readWords(form.passports),
        destinations: readWords(form.destinations),
      }
      // Like the lookup, because people write codes in any case.
      const read = readSubscription(JSON.stringify(body), { shape: "lookup", dataset, targets })
      if (!read.ok) {
        const [{ path, message }] = read.issues as [(typeof read.issues)[number]]
        return refuse(sent, 400, wrong("wrong.webhook_field", { field: path, reason: message }))
      }
      return Effect.flatMap(webhooks.create(account.id, read.value), ({ secret, webhook: { url } }) =>
        showOnce(sent, "said.webhook_made", { url }, secret),
      )
    },
  }),
  ping_webhook: action({
    feature: "webhooks",
    fields: webhookId,
    act: (sent, { id }) =>
      Effect.andThen(webhooksOf(sent).ping(sent.account.id, id), goBack(sent, "pinged", [], { webhook: String(id) })),
  }),
  enable_webhook: action({
    feature: "webhooks",
    fields: webhookId,
    act: (sent, { id }) =>
      Effect.andThen(webhooksOf(sent).enable(sent.account.id, id), goBack(sent, "webhook_enabled")),
  }),
  rotate_secret: action({
    isFresh: true,
    feature: "webhooks",
    fields: webhookId,
    act: (sent, { id }) =>
      Effect.flatMap(webhooksOf(sent).rotateSecret(sent.account.id, id), ({ secret }) =>
        showOnce(sent, "said.secret_rotated", {}, secret),
      ),
  }),
  // An account without webhooks in its plan may still delete old ones.
  end_webhook: action({
    isFresh: true,
    fields: webhookId,
    act: (sent, { id }) => Effect.andThen(webhooksOf(sent).remove(sent.account.id, id), goBack(sent, "webhook_ended")),
  }),
  replay_delivery: action({
    feature: "webhooks",
    fields: { ...webhookId, delivery },
    act: (sent, { id, delivery }) =>
      Effect.andThen(
        webhooksOf(sent).replay(sent.account.id, id, delivery),
        goBack(sent, "replayed", [], { webhook: String(id) }),
      ),
  }),
  buy: action({
    fields: { offer },
    act: (sent, { offer }, { billing, site }) =>
      goToProvider(sent, billing.openCheckout(sent.account, { ...offer, affiliateId: null }, signInUrl(site))),
  }),
  portal: action({
    act: (sent, _, { billing, site }) => goToProvider(sent, billing.openPortal(sent.account, signInUrl(site))),
  }),
  decline_referral: action({
    act: (sent, _, { affiliates }) =>
      Effect.andThen(affiliates.decline(sent.account.id), goBack(sent, "referral_declined")),
  }),
  language: action({
    act: (sent, _, { accounts }) =>
      Effect.andThen(accounts.setLanguage(sent.account.id, sent.language), goBack(sent, null)),
  }),
  erase: action({
    isFresh: true,
    fields: { email },
    act: (sent, { email }, { accounts, site }) =>
      foldEmail(email) === foldEmail(sent.account.email)
        ? Effect.andThen(accounts.erase(sent.account.id), goBack(sent, "erased", clearSession(site)))
        : refuse(sent, 400, wrong("wrong.another_email")),
  }),
}

const find = <Found>(table: Readonly<Record<string, Found>>, does: unknown): Found | undefined =>
  typeof does === "string" && Object.hasOwn(table, does) ? table[does] : undefined

/** Shows why an action was not done. */
function answerFailure(sent: Sent, failure: Failure): Effect.Effect<Answer, Unavailable> {
  switch (failure._tag) {
    case "Unavailable":
      return Effect.fail(failure)
    case "AccountNotFound":
      // The account was erased before its form arrived.
      return refuse({ ...sent, viewer: { kind: "stranger" } }, 401, wrong("wrong.ended"))
    case "TriedTooOften": {
      const { retryAfterSeconds } = failure
      const notices = [wrong("wrong.too_often", { minutes: Math.ceil(retryAfterSeconds / 60) })]
      return show(sent, { status: 429, notices, headers: ["retry-after", String(retryAfterSeconds)] })
    }
    default: {
      const { status, page, values } = describeRefusal(failure)
      return refuse(sent, status, wrong(page, values))
    }
  }
}

/** Does the action of a form, and answers with a page. */
export const actOnForm = (context: FormContext, form: RawQuery): Effect.Effect<Answer, Unavailable> =>
  Effect.gen(function* () {
    const viewer = yield* findViewer(context)
    const sent: Sent = { context, form, viewer, language: chooseLanguage(context, form.lang, viewer) }
    if (comesFromElsewhere(context.request, context.site)) {
      // The answer reveals nothing about the account.
      return yield* refuse({ ...sent, viewer: { kind: "stranger" } }, 403, wrong("wrong.elsewhere"))
    }
    const act = (): Acting => {
      const open = find(OPEN, form.do)
      if (open !== undefined) return open(sent)
      const owned = find(OWNED, form.do)
      if (owned === undefined) return refuse(sent, 400, wrong("wrong.form"))
      if (viewer.kind === "owner")
        return Effect.andThen(
          context.signup.limit("write", `owner ${viewer.account.id}`),
          actingAs("owner")(owned({ ...sent, ...viewer })),
        )
      return viewer.kind === "disabled" ? show(sent, { status: 403 }) : refuse(sent, 401, wrong("wrong.ended"))
    }
    return yield* Effect.catch(act(), failure => answerFailure(sent, failure))
  })
