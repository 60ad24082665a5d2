/**
 * `POST /register`, `POST /auth/login`, `GET` and `POST /auth/confirm`, `POST /auth/logout`: how a new user gets a key, and how users sign
 * in and out.
 *
 * A mailed link opens a page with one button, and nothing happens before the user presses it, because mail scanners and browsers that
 * prefetch follow links too.
 */

import { Effect, Schema } from "effect"
import type { Language } from "../../../../src/full.ts"
import { CONFIRM_PATH } from "../../../accounts/mail-dispatcher.ts"
import { Sessions } from "../../../accounts/sessions.ts"
import { Signup } from "../../../accounts/signup.ts"
import { preferLanguage } from "../../../mail/texts.ts"
import { Clients, familyOf } from "../../../validation/addresses.ts"
import { makeBody } from "../../pipeline/describe-row.ts"
import { type ContextOf, endpoint, pattern } from "../../pipeline/endpoint.ts"
import { answerError, answerJson, NOT_STORED } from "../../pipeline/http-message.ts"
import { MountedSite } from "../../pipeline/process-state.ts"
import {
  clearSession,
  comesFromElsewhere,
  FROM_ELSEWHERE,
  readSessionCookie,
  setSession,
} from "../../pipeline/session-cookie.ts"
import { email, language, name, PAGE_NEEDS, Plan, SignedOut, takesFields, USER, User } from "./account-answers.ts"

const shared = { surface: "visa", access: { kind: "public" } } as const

/** Where a request comes from, and in which language its mails are written. */
const askingOf = (context: ContextOf<{ clients: typeof Clients }>, lang: Language | undefined) => ({
  client: context.clients.name(context.request),
  language: lang ?? preferLanguage(context.request.header("accept-language")),
})

/** Refuses what another site has made a browser send. */
const refuseElsewhere = ({ request, site }: ContextOf<{ site: typeof MountedSite }>) =>
  comesFromElsewhere(request, site) ? FROM_ELSEWHERE : null

/** Makes an account, or finds it. */
const register = endpoint("POST /api/v1/visa/register", {
  ...shared,
  name: "register",
  ...takesFields({ name, email, lang: language }),
  needs: { clients: Clients, signup: Signup },
  answer: ({ name, email, lang }, context) =>
    Effect.map(context.signup.register({ name, email, ...askingOf(context, lang) }), ({ apiKey, plan, message }) =>
      answerJson(200, { api_key: apiKey, plan, message }, NOT_STORED),
    ),
  summary: "Make an account, or find it",
  description:
    "Idempotent on the address, without regard to case. Until the address is confirmed, the whole key is shown and is valid for five requests; it is replaced when the address is confirmed. For a confirmed account, the answer reveals neither key nor plan, and a link to sign in is mailed. Limits: five calls an hour for each client's address, and one new account an hour for each mailbox, however its address is spelled.",
  success: makeBody("Registered", "The account's key and plan, and the next step.", {
    api_key: Schema.String.annotate({ description: "The whole key, or a masked one if the caller may not see it." }),
    plan: Plan,
    message: Schema.String,
  }),
  errors: [429],
})

const ORDERED = {
  ok: true,
  message:
    "If there is an account with this address, a link to sign in was mailed to it. It works once, for 30 minutes.",
}

/** Mails a link to sign in. */
const login = endpoint("POST /api/v1/visa/auth/login", {
  ...shared,
  name: "login",
  // A page elsewhere could make its readers send this from their own addresses.
  ...takesFields({ email, lang: language }, refuseElsewhere),
  needs: { clients: Clients, signup: Signup, site: MountedSite },
  answer: ({ email, lang }, context) =>
    Effect.as(context.signup.askForLink({ email, ...askingOf(context, lang) }), answerJson(200, ORDERED, NOT_STORED)),
  summary: "Mail a link to sign in",
  description: "The same answer, in the same time, whether the address is known or not.",
  success: makeBody("LinkOrdered", "The answer is the same for every address.", {
    ok: Schema.Boolean,
    message: Schema.String,
  }),
  errors: [403, 429],
})

const token = pattern("the token of a mailed link", /^[A-Za-z0-9_-]{43}$/, {
  description: "The token of a mailed link.",
  example: "the-token-of-a-mailed-link-0000000000000000",
})

const LINK_USED = /* @__PURE__ */ answerError(
  400,
  "This link no longer works: it was used, or it is older than 30 minutes. Request another one.",
  NOT_STORED,
)

/** The views of the page, which are loaded when somebody opens it for the first time. */
export const loadPage = Effect.promise(() => import("./page/show-page.ts"))

/** Shows the page of a mailed link, and does nothing else. The reference lists the request that the page sends. */
export const linkPageRow = endpoint(`GET ${CONFIRM_PATH}`, {
  ...shared,
  name: "page confirm",
  needs: PAGE_NEEDS,
  answer: (_, context) => Effect.flatMap(loadPage, ({ showLink }) => showLink(context)),
})

const SETS_COOKIE = {
  "Set-Cookie": "The cookie `svc_token`: HttpOnly, SameSite=Lax, Secure outside of localhost, 30 days.",
}

/** Follows a mailed link: confirms the address and starts a session. */
const confirm = endpoint(`POST ${CONFIRM_PATH}`, {
  ...shared,
  name: "confirm",
  ...takesFields({ token }, refuseElsewhere),
  needs: { clients: Clients, sessions: Sessions, signup: Signup, site: MountedSite },
  answer: ({ token }, context) => {
    const { clients, sessions, signup, site } = context
    return Effect.gen(function* () {
      yield* signup.limit("confirm", clients.name(context.request))
      const family = familyOf(clients.address(context.request))
      const signedIn = yield* sessions.follow(token, family)
      if (signedIn === null) return LINK_USED
      const message = signedIn.hasConfirmed
        ? "The address is confirmed; you are signed in. Earlier keys, sessions and webhooks have ended; GET /api/v1/visa/auth/ensure-key shows the new key."
        : "You are signed in."
      const body = { ok: true, user: USER.write(signedIn.account), message }
      return answerJson(200, body, [...NOT_STORED, ...setSession(site, signedIn.token)])
    })
  },
  summary: "Follow a mailed link",
  description:
    "Confirms the address and begins a session. A link works once, for 30 minutes. In a browser it opens a page whose button sends the token; nothing happens before that. Confirming an address ends every earlier key, team key, session, webhook and device and makes a new key.",
  sends: { 200: SETS_COOKIE },
  success: makeBody("SignedIn", "The address is confirmed, and a session has begun.", {
    ok: Schema.Boolean,
    user: User,
    message: Schema.String,
  }),
  errors: [403, 429],
})

/** Ends the session of the request, if there is one. */
const logout = endpoint("POST /api/v1/visa/auth/logout", {
  ...shared,
  name: "logout",
  needs: { sessions: Sessions, site: MountedSite },
  answer: (_, context) => {
    const { sessions, site } = context
    if (comesFromElsewhere(context.request, site)) return FROM_ELSEWHERE
    const shown = readSessionCookie(context.request.header("cookie"))
    const done = answerJson(200, { ok: true }, [...NOT_STORED, ...clearSession(site)])
    return shown.kind === "token" ? Effect.as(sessions.end(shown.token), done) : done
  },
  summary: "Sign out",
  description: "Ends the session of the cookie, and deletes the cookie.",
  sends: { 200: SETS_COOKIE },
  success: SignedOut,
  errors: [403],
})

export const signupEndpoints = [register, login, confirm, logout] as const
