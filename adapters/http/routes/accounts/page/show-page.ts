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
import type {
  AccountNotFound,
  FirstKey,
  MadeKey,
  NoSuchKey,
  StillSubscribed,
  TooManyKeys,
} from "../../../../accounts/accounts.ts"
import type { TriedTooOften } from "../../../../accounts/attempts.ts"
import { actingAs } from "../../../../accounts/audit-trail.ts"
import { SCOPES } from "../../../../accounts/key-limits.ts"
import { CONFIRM_PATH } from "../../../../accounts/mail-dispatcher.ts"
import { readNewKey } from "../../../../accounts/read-new-key.ts"
import { LINK_MINUTES, type SignedIn } from "../../../../accounts/sessions.ts"
import type { NoMail } from "../../../../accounts/signup.ts"
import { AFFILIATE_ID } from "../../../../billing/affiliates.ts"
import type { CheckoutRefused, NoCustomer, NotSold } from "../../../../billing/billing.ts"
import type { ProviderAway } from "../../../../billing/stripe-port.ts"
import { EVENT_TYPES, readSubscription } from "../../../../events/followers/subscription.ts"
import type { MailDelivery } from "../../../../mail/mails.ts"
import { preferLanguage } from "../../../../mail/texts.ts"
import { lowestPlanWith } from "../../../../plans/plans.ts"
import { isToken } from "../../../../secrets/token.ts"
import { BILLING_PERIODS, type PaidPlanId, PLAN_IDS, type PlanId } from "../../../../settings/feature-options.ts"
import { ACCOUNT_PATH, signInUrl } from "../../../../settings/site-links.ts"
import type { Unavailable } from "../../../../storage/storage-errors.ts"
import { MAXIMUM_WEBHOOKS, type TooManyWebhooks } from "../../../../webhooks/webhooks.ts"
import { familyOf } from "../../../pipeline/client-address.ts"
import {
  choice,
  idOf,
  optional,
  type Parameter,
  type ParameterTable,
  parsed,
  readParameters,
  textThat,
  type ValuesOf,
} from "../../../pipeline/endpoint.ts"
import type { Answer } from "../../../pipeline/http-answer.ts"
import { type RawQuery, readQuery } from "../../../pipeline/request.ts"
import {
  clearSession,
  comesFromElsewhere,
  readBroughtBy,
  readSessionCookie,
  setBroughtBy,
  setSession,
} from "../../../pipeline/session-cookie.ts"
import { email, type FormContext, name, type PageContext } from "../account-answers.ts"
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
    const view = viewOfStranger(words, { affiliateId, isNew, unconfirmedRequests, sent: sent ?? null })
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

/** What the work of an action fails with. */
type Failure =
  | AccountNotFound
  | CheckoutRefused
  | FirstKey
  | NoCustomer
  | NoMail
  | NoSuchKey
  | NotSold
  | ProviderAway
  | StillSubscribed
  | TooManyKeys
  | TooManyWebhooks
  | TriedTooOften
  | Unavailable

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

/** Reads the fields of a form; a field with an impossible value was not filled in on the page. */
function withFields<const Table extends ParameterTable>(
  table: Table,
  act: (sent: OwnersForm, fields: ValuesOf<Table>) => Acting,
): (sent: OwnersForm) => Acting {
  return sent => {
    const read = readParameters(table, sent.form)
    return read.ok ? act(sent, read.values as ValuesOf<Table>) : refuse(sent, 400, wrong(nameMistake(read.issues)))
  }
}

function nameMistake(issues: readonly { readonly path: string }[]): MessageName {
  const [first] = issues
  return first?.path === "name" ? "wrong.name" : first?.path === "email" ? "wrong.email" : "wrong.form"
}

const readText = (value: RawQuery[string] | undefined): string => (typeof value === "string" ? value.slice(0, 300) : "")

/** For actions that show a key or cannot be undone: requires that a link was followed within the hour. */
const freshly =
  (act: (sent: OwnersForm) => Acting): ((sent: OwnersForm) => Acting) =>
  sent =>
    sent.isFresh ? act(sent) : refuse(sent, 401, wrong("wrong.stale"))

// What do the forms of keys do? They make, replace and end keys. A whole key is shown only in the answer that makes it.

const sure: Parameter<string> = choice(["yes"], { description: "That the key is to be replaced." })

const replaceKey = (sent: OwnersForm, fields: { readonly end_team_keys: string | undefined }): Acting =>
  sent.context.accounts
    .regenerateKey(sent.account.id, { endsTeamKeys: fields.end_team_keys === "yes" })
    .pipe(Effect.flatMap(({ key }) => show(sent, { notices: [done("said.key_replaced", {}, key)] })))

const makeKey = (sent: OwnersForm): Acting =>
  sent.context.accounts.ensureKey(sent.account.id).pipe(Effect.flatMap(() => goBack(sent, null)))

/** Shows a whole key, once. */
const showMade = (sent: Sent) =>
  Effect.flatMap(({ accountKey: { name }, key }: MadeKey) =>
    show(sent, { notices: [done("said.team_key_made", { name }, key)] }),
  )

const makeTeamKey = withFields({ name }, (sent, { name }) => {
  const { accounts, plans } = sent.context
  if (!plans.byId[sent.account.plan].teamKeys) {
    return refuse(sent, 403, wrong("team_keys.needed", { plan: lowestPlanWith("teamKeys", plans) ?? "–" }))
  }
  return accounts.createTeamKey(sent.account.id, name).pipe(showMade(sent))
})

const keyId = { id: idOf({ description: "The key." }) }

const endTeamKey = withFields(keyId, (sent, { id }) =>
  sent.context.accounts.endKey(sent.account.id, id, "team").pipe(
    Effect.flatMap(() => goBack(sent, "team_key_ended")),
    Effect.catchTag("NoSuchKey", () => refuse(sent, 404, wrong("wrong.team_key"))),
  ),
)

const makeNamedKey = (sent: OwnersForm): Acting => {
  const { accounts } = sent.context
  const { name, mode, until, from } = sent.form
  const addresses = readText(from)
    .split(/[\s,]+/)
    .filter(text => text !== "")
  const read = readNewKey(
    {
      name,
      mode,
      scopes: SCOPES.filter(scope => sent.form[`scope_${scope}`] === "yes"),
      allowed_addresses: addresses,
      ...(until === undefined || until === "" ? {} : { expires_at: `${readText(until)}T00:00:00Z` }),
    },
    sent.context.nowMs,
  )
  if (!read.ok) return refuse(sent, 400, wrong("wrong.key"))
  const { name: called, ...limits } = read.value
  return accounts.createKey(sent.account.id, called, limits).pipe(showMade(sent))
}

const rotateKey = withFields(keyId, (sent, { id }) =>
  sent.context.accounts.rotateKey(sent.account.id, id).pipe(showMade(sent)),
)

const endKey = withFields(keyId, (sent, { id }) =>
  sent.context.accounts.endKey(sent.account.id, id).pipe(Effect.flatMap(() => goBack(sent, "key_ended"))),
)

/** What the forms of keys do, by their names. */
const KEY_ACTIONS: Readonly<Record<string, (sent: OwnersForm) => Acting>> = {
  make_key: freshly(makeKey),
  replace_key: freshly(withFields({ sure, end_team_keys: optional(sure) }, replaceKey)),
  make_named_key: freshly(makeNamedKey),
  rotate_key: freshly(rotateKey),
  end_key: endKey,
  make_team_key: freshly(makeTeamKey),
  end_team_key: endTeamKey,
}

// What do the forms of webhooks do? The same as the endpoints of webhooks, under the same limits. A secret is shown only in the answer that
// makes it.

const id = idOf({ description: "The webhook." })
const delivery = idOf({ description: "The delivery." })

const noSuchWebhook = (sent: OwnersForm): Acting => refuse(sent, 404, wrong("wrong.webhook"))

/** The webhooks that a form is about: those of test keys have their own sender. */
const webhooksOf = ({ context: { webhooks }, form }: OwnersForm) =>
  readText(form.mode) === "test" ? webhooks.test : webhooks

/** Limits an action to plans that include it. */
const planned =
  (act: (sent: OwnersForm) => Acting): ((sent: OwnersForm) => Acting) =>
  sent => {
    const { plans } = sent.context
    return plans.byId[sent.account.plan].webhooks
      ? act(sent)
      : refuse(sent, 403, wrong("webhooks.needed", { plan: lowestPlanWith("webhooks", plans) ?? "–" }))
  }

const readCodes = (value: OwnersForm["form"][string] | undefined): readonly string[] =>
  readText(value)
    .split(/[\s,]+/)
    .filter(code => code !== "")

const make = (sent: OwnersForm): Acting => {
  const { account, context, form } = sent
  const { dataset, targets, webhooks } = context
  const body = {
    url: form.url,
    events: EVENT_TYPES.filter(type => form[`type_${type.replace(".", "_")}`] === "yes"),
    filter: { passports: readCodes(form.passports), destinations: readCodes(form.destinations) },
  }
  const read = readSubscription(JSON.stringify(body), { shape: "visa", dataset, targets })
  if (!read.ok) {
    const [{ path, message }] = read.issues as [(typeof read.issues)[number]]
    return refuse(sent, 400, wrong("wrong.webhook_field", { field: path, reason: message }))
  }
  return webhooks
    .create(account.id, read.value)
    .pipe(
      Effect.flatMap(({ secret, webhook: { url } }) =>
        show(sent, { notices: [done("said.webhook_made", { url }, secret)] }),
      ),
    )
}

const ping = withFields({ id }, (sent, { id }) =>
  Effect.flatMap(webhooksOf(sent).ping(sent.account.id, id), row =>
    row === null ? noSuchWebhook(sent) : goBack(sent, "pinged", [], { webhook: String(id) }),
  ),
)

const enable = withFields({ id }, (sent, { id }) =>
  webhooksOf(sent)
    .enable(sent.account.id, id)
    .pipe(Effect.flatMap(found => (found === null ? noSuchWebhook(sent) : goBack(sent, "webhook_enabled")))),
)

const rotateSecret = withFields({ id }, (sent, { id }) =>
  webhooksOf(sent)
    .rotateSecret(sent.account.id, id)
    .pipe(
      Effect.flatMap(rotated =>
        rotated === null
          ? noSuchWebhook(sent)
          : show(sent, { notices: [done("said.secret_rotated", {}, rotated.secret)] }),
      ),
    ),
)

const end = withFields({ id }, (sent, { id }) =>
  webhooksOf(sent)
    .remove(sent.account.id, id)
    .pipe(Effect.flatMap(isRemoved => (isRemoved ? goBack(sent, "webhook_ended") : noSuchWebhook(sent)))),
)

const replay = withFields({ id, delivery }, (sent, { id, delivery }) =>
  Effect.flatMap(webhooksOf(sent).replay(sent.account.id, id, delivery), row =>
    row === null ? noSuchWebhook(sent) : goBack(sent, "replayed", [], { webhook: String(id) }),
  ),
)

/** What the forms of webhooks do, by their names. */
const WEBHOOK_ACTIONS: Readonly<Record<string, (sent: OwnersForm) => Acting>> = {
  make_webhook: freshly(planned(make)),
  ping_webhook: planned(ping),
  enable_webhook: planned(enable),
  rotate_secret: freshly(planned(rotateSecret)),
  // An account without webhooks in its plan may still delete old ones.
  end_webhook: freshly(end),
  replay_delivery: planned(replay),
}

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

const signOut = (sent: OwnersForm): Acting => {
  const { sessions, site } = sent.context
  return Effect.andThen(sessions.end(sent.token), goBack(sent, "signed_out", clearSession(site)))
}

const signOutEverywhere = (sent: OwnersForm): Acting => {
  const { sessions, site } = sent.context
  return Effect.andThen(sessions.endAll(sent.account.id), goBack(sent, "sessions_ended", clearSession(site)))
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

const buy = withFields({ offer }, (sent, { offer: { plan, period } }) => {
  const { billing, signup, site } = sent.context
  const { account } = sent
  return signup.limit("billing", String(account.id)).pipe(
    Effect.andThen(billing.openCheckout(account, { plan, period, affiliateId: null }, signInUrl(site))),
    Effect.flatMap(url => sendOn(sent, url)),
  )
})

const openPortal = (sent: OwnersForm): Acting => {
  const { billing, signup, site } = sent.context
  return signup.limit("billing", String(sent.account.id)).pipe(
    Effect.andThen(billing.openPortal(sent.account, signInUrl(site))),
    Effect.flatMap(url => sendOn(sent, url)),
  )
}

const declineReferral = (sent: OwnersForm): Acting =>
  sent.context.affiliates.decline(sent.account.id).pipe(Effect.andThen(goBack(sent, "referral_declined")))

const keepLanguage = (sent: OwnersForm): Acting =>
  sent.context.accounts.setLanguage(sent.account.id, sent.language).pipe(Effect.flatMap(() => goBack(sent, null)))

const erase = withFields({ email }, (sent, { email }) => {
  const { accounts, site } = sent.context
  if (foldEmail(email) !== foldEmail(sent.account.email)) return refuse(sent, 400, wrong("wrong.another_email"))
  return accounts.erase(sent.account.id).pipe(Effect.flatMap(() => goBack(sent, "erased", clearSession(site))))
})

/** Actions that anybody can do. */
const OPEN: Readonly<Record<string, (sent: Sent) => Acting>> = { sign_in: signIn, register, confirm }

/** Actions that need a session. */
const OWNED: Readonly<Record<string, (sent: OwnersForm) => Acting>> = {
  sign_out: signOut,
  sign_out_everywhere: signOutEverywhere,
  ...KEY_ACTIONS,
  ...WEBHOOK_ACTIONS,
  buy,
  portal: openPortal,
  decline_referral: declineReferral,
  language: keepLanguage,
  erase: freshly(erase),
}

const find = <Action>(table: Readonly<Record<string, Action>>, does: unknown): Action | undefined =>
  typeof does === "string" && Object.hasOwn(table, does) ? table[does] : undefined

/** Shows why an action was not done. */
const answerFailures = (sent: Sent, work: Acting): Effect.Effect<Answer, Unavailable> => {
  const refused = (status: number, message: MessageName, values?: MessageValues) =>
    refuse(sent, status, wrong(message, values))
  return Effect.catchTags(work, {
    // The account was erased before its form arrived.
    AccountNotFound: () => refuse({ ...sent, viewer: { kind: "stranger" } }, 401, wrong("wrong.ended")),
    CheckoutRefused: () => refused(400, "wrong.subscribed"),
    FirstKey: () => refused(404, "wrong.key"),
    NoCustomer: () => refused(404, "wrong.not_sold"),
    NoMail: () => refused(503, "wrong.no_mail"),
    NoSuchKey: () => refused(404, "wrong.key"),
    NotSold: () => refused(503, "wrong.not_sold"),
    ProviderAway: ({ message }) =>
      Effect.andThen(
        Effect.logWarning(`the payment provider has not answered: ${message}`),
        refused(503, "wrong.provider"),
      ),
    StillSubscribed: () => refused(409, "wrong.subscribed"),
    TooManyKeys: ({ limit, isTeam }) => refused(400, isTeam ? "wrong.team_keys" : "wrong.keys", { count: limit }),
    TooManyWebhooks: () => refused(400, "wrong.webhooks", { count: MAXIMUM_WEBHOOKS }),
    TriedTooOften: ({ retryAfterSeconds }) =>
      show(sent, {
        status: 429,
        notices: [wrong("wrong.too_often", { minutes: Math.ceil(retryAfterSeconds / 60) })],
        headers: ["retry-after", String(retryAfterSeconds)],
      }),
  })
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
    return yield* answerFailures(sent, act())
  })
