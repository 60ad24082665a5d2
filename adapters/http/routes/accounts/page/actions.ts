/**
 * What does each form of the page do?
 *
 * Every form is sent to `/account` and names its action. A browser sends the session's cookie automatically, so forms that another site
 * submits are refused first. The result is shown by a redirect to a page that can be reloaded safely; only a key that is shown once is part
 * of the answer itself.
 */
import { Effect } from "effect"
import { foldEmail } from "../../../../accounts/account.ts"
import { actingAs } from "../../../../accounts/audit-trail.ts"
import { LINK_MINUTES } from "../../../../accounts/sessions.ts"
import type { MailDelivery } from "../../../../mail/mails.ts"
import { isToken } from "../../../../secrets/token.ts"
import { BILLING_PERIODS, type PaidPlanId } from "../../../../settings/feature-options.ts"
import { signInUrl } from "../../../../settings/site-links.ts"
import type { Unavailable } from "../../../../storage/storage-errors.ts"
import { familyOf } from "../../../pipeline/client-address.ts"
import type { Answer } from "../../../pipeline/http-answer.ts"
import { type Parameter, readParameters } from "../../../pipeline/parameters.ts"
import type { RawQuery } from "../../../pipeline/request.ts"
import {
  clearSession,
  comesFromElsewhere,
  readBroughtBy,
  setBroughtBy,
  setSession,
} from "../../../pipeline/session-cookie.ts"
import type { FormContext } from "../page-needs.ts"
import { email, name } from "../read-fields.ts"
import { makeWords } from "./account-page-words.ts"
import {
  type Acting,
  done,
  freshly,
  goBack,
  gone,
  nameMistake,
  type OwnersForm,
  readText,
  refuse,
  type Sent,
  show,
  withFields,
  wrong,
} from "./forms.ts"
import { html } from "./html.ts"
import { KEY_ACTIONS } from "./key-actions.ts"
import { answerPageText, type Notice, writePage } from "./layout.ts"
import { chooseLanguage, findViewer, readAffiliate, SPENT_LINK } from "./show-page.ts"
import type { SentForm } from "./stranger-view.ts"
import { WEBHOOK_ACTIONS } from "./webhook-actions.ts"

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

const token: Parameter<string> = {
  expected: "the token of a mailed link",
  isRequired: true,
  document: { description: "The token of a mailed link." },
  read: text => (isToken(text) ? text : undefined),
}

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

const offer: Parameter<{ readonly plan: PaidPlanId; readonly period: (typeof BILLING_PERIODS)[number] }> = {
  expected: "a plan and a period",
  isRequired: true,
  document: { description: "The plan to buy." },
  read: text => {
    const [, plan, period] = /^(hobby|starter|pro|business) (monthly|annual)$/.exec(text) ?? []
    const known = BILLING_PERIODS.find(name => name === period)
    return known === undefined ? undefined : { plan: plan as PaidPlanId, period: known }
  },
}

const providerAway = (sent: Sent) => (error: { readonly message: string }) =>
  Effect.andThen(
    Effect.logWarning(`the payment provider has not answered: ${error.message}`),
    refuse(sent, 503, wrong("wrong.provider")),
  )

const buy = withFields({ offer }, (sent, { offer: { plan, period } }) => {
  const { billing, signup, site } = sent.context
  const { account } = sent
  return signup.limit("billing", String(account.id)).pipe(
    Effect.andThen(billing.openCheckout(account, { plan, period, affiliateId: null }, signInUrl(site))),
    Effect.flatMap(url => sendOn(sent, url)),
    Effect.catchTags({
      NotSold: () => refuse(sent, 503, wrong("wrong.not_sold")),
      CheckoutRefused: () => refuse(sent, 400, wrong("wrong.subscribed")),
      ProviderAway: providerAway(sent),
    }),
  )
})

const openPortal = (sent: OwnersForm): Acting => {
  const { billing, signup, site } = sent.context
  return signup.limit("billing", String(sent.account.id)).pipe(
    Effect.andThen(billing.openPortal(sent.account, signInUrl(site))),
    Effect.flatMap(url => sendOn(sent, url)),
    Effect.catchTags({
      NotSold: () => refuse(sent, 503, wrong("wrong.not_sold")),
      NoCustomer: () => refuse(sent, 404, wrong("wrong.not_sold")),
      ProviderAway: providerAway(sent),
    }),
  )
}

const declineReferral = (sent: OwnersForm): Acting =>
  sent.context.affiliates
    .decline(sent.account.id)
    .pipe(actingAs("owner"), Effect.andThen(goBack(sent, "referral_declined")))

const keepLanguage = (sent: OwnersForm): Acting =>
  sent.context.accounts.setLanguage(sent.account.id, sent.language).pipe(
    Effect.flatMap(() => goBack(sent, null)),
    Effect.catchTag("AccountNotFound", gone(sent)),
  )

const erase = withFields({ email }, (sent, { email }) => {
  const { accounts, site } = sent.context
  if (foldEmail(email) !== foldEmail(sent.account.email)) return refuse(sent, 400, wrong("wrong.another_email"))
  return accounts.erase(sent.account.id).pipe(
    actingAs("owner"),
    Effect.flatMap(() => goBack(sent, "erased", clearSession(site))),
    Effect.catchTags({
      AccountNotFound: gone(sent),
      StillSubscribed: () => refuse(sent, 409, wrong("wrong.subscribed")),
    }),
  )
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
          owned({ ...sent, ...viewer }),
        )
      return viewer.kind === "disabled" ? show(sent, { status: 403 }) : refuse(sent, 401, wrong("wrong.ended"))
    }
    return yield* Effect.catchTags(act(), {
      TriedTooOften: ({ retryAfterSeconds }) =>
        show(sent, {
          status: 429,
          notices: [wrong("wrong.too_often", { minutes: Math.ceil(retryAfterSeconds / 60) })],
          headers: ["retry-after", String(retryAfterSeconds)],
        }),
      NoMail: () => refuse(sent, 503, wrong("wrong.no_mail")),
    })
  })
