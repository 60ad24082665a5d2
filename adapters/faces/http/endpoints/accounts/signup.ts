/** `POST /register`, `POST /auth/login`, `GET /auth/confirm` and `POST /auth/logout`: how a stranger gets a key, and how somebody signs in and out. */
import { Effect } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import type { Language } from "../../../../../src/full.ts"
import { CONFIRM_PATH } from "../../../../customers/accounts/mail-dispatcher.ts"
import { preferLanguage } from "../../../../customers/mail/texts.ts"
import { signInUrl } from "../../../../platform/settings/site-links.ts"
import { wantsPage } from "../../pipeline/accept.ts"
import { answerJson, NOT_STORED } from "../../pipeline/answer.ts"
import {
  BadRequest,
  describe,
  NotSetUp,
  querySchema,
  SessionRefused,
  TooManyRequests,
} from "../../pipeline/describe.ts"
import { type AnswerContext, endpoint, serviceOf } from "../../pipeline/endpoint.ts"
import { answerError } from "../../pipeline/errors.ts"
import { type Parameter, pattern } from "../../pipeline/parameters.ts"
import { clearSession, comesFromElsewhere, readSessionCookie, setSession } from "../../pipeline/session-cookie.ts"
import { FROM_ELSEWHERE } from "../../pipeline/session-rules.ts"
import { answerLater } from "./answers.ts"
import { email, language, name, readFields } from "./read-fields.ts"
import { LinkOrdered, LoginRequest, Registered, RegisterRequest, SignedInAnswer, SignedOut } from "./schemas.ts"
import { writeUser } from "./user.ts"

const shared = { surface: "visa", access: { kind: "public" }, parameters: {} } as const

/** Where a request comes from, and in which language its mails are written. */
const askingOf = (context: AnswerContext, lang: Language | undefined) => ({
  client: serviceOf(context).clients.name(context.request),
  language: lang ?? preferLanguage(context.request.header("accept-language")),
})

const registerFields = { name, email, lang: language }

/** Makes an account, or finds it. */
const register = endpoint({
  ...shared,
  name: "register",
  method: "POST",
  path: "/api/v1/visa/register",
  takesBody: true,
  read: ({ body }) => readFields(registerFields, body),
  answer: ({ name, email, lang }: { name: string; email: string; lang?: Language | undefined }, context) =>
    answerLater(
      Effect.map(
        serviceOf(context).signup.register({ name, email, ...askingOf(context, lang) }),
        ({ apiKey, plan, message }) => answerJson(200, { api_key: apiKey, plan, message }, NOT_STORED),
      ),
    ),
})

const ORDERED = {
  ok: true,
  message:
    "If there is an account with this address, a link to sign in was mailed to it. It works once, for 30 minutes.",
}

const loginFields = { email, lang: language }

/** Mails a link to sign in. */
const login = endpoint({
  ...shared,
  name: "login",
  method: "POST",
  path: "/api/v1/visa/auth/login",
  takesBody: true,
  // A page elsewhere could make its visitors send this from addresses of their own.
  read: ({ body }, context) =>
    comesFromElsewhere(context.request, serviceOf(context).site)
      ? { ok: false, answer: FROM_ELSEWHERE }
      : readFields(loginFields, body),
  answer: ({ email, lang }: { email: string; lang?: Language | undefined }, context) =>
    answerLater(
      Effect.as(
        serviceOf(context).signup.askForLink({ email, ...askingOf(context, lang) }),
        answerJson(200, ORDERED, NOT_STORED),
      ),
    ),
})

const token: Parameter<string> = pattern("the token of a mailed link", /^[A-Za-z0-9_-]{43}$/, {
  description: "The token of a mailed link.",
})

/** The token is in the address of the page. */
const NO_REFERRER = ["referrer-policy", "no-referrer"]
const LINK_USED = /* @__PURE__ */ answerError(
  400,
  "This link no longer works: it was used, or it is older than 30 minutes. Ask for another one.",
  NO_REFERRER,
)

/** Tells a browser on the account's page that a link no longer works. */
const showSpent = (context: AnswerContext) =>
  // Loaded here, because few links are followed twice.
  Effect.flatMap(
    Effect.promise(() => import("./page/show-page.ts")),
    ({ showSpentLink }) => showSpentLink(context),
  )

/** Follows a mailed link: confirms the address and begins a session. */
const confirm = endpoint({
  ...shared,
  name: "confirm",
  method: "GET",
  path: CONFIRM_PATH,
  parameters: { token },
  answer: ({ token }, context) => {
    const { clients, sessions, signup, site } = serviceOf(context)
    const { request } = context
    // A mere check whether the page is there, as scanners of mails make, does not use up the link.
    if (request.method === "HEAD") return answerJson(200, {}, [...NOT_STORED, ...NO_REFERRER])
    const follow = Effect.andThen(signup.limit("confirm", clients.name(request)), sessions.follow(token))
    const isBrowser = wantsPage(request.header("accept"))
    return answerLater(
      Effect.flatMap(follow, signedIn => {
        if (signedIn === null) return isBrowser ? showSpent(context) : Effect.succeed(LINK_USED)
        const headers = [...NOT_STORED, ...NO_REFERRER, ...setSession(site, signedIn.token)]
        if (isBrowser) {
          const sendOn = ["location", signInUrl(site), ...headers]
          return Effect.succeed({ status: 303, contentType: "", headers: sendOn, body: "" })
        }
        const body = {
          ok: true,
          user: writeUser(signedIn.account),
          message: "The address is confirmed; you are signed in.",
        }
        return Effect.succeed(answerJson(200, body, headers))
      }),
    )
  },
})

/** Ends the session that is shown, if there is one. */
const logout = endpoint({
  ...shared,
  name: "logout",
  method: "POST",
  path: "/api/v1/visa/auth/logout",
  answer: (_, context) => {
    const { sessions, site } = serviceOf(context)
    if (comesFromElsewhere(context.request, site)) return FROM_ELSEWHERE
    const shown = readSessionCookie(context.request.header("cookie"))
    const done = answerJson(200, { ok: true }, [...NOT_STORED, ...clearSession(site)])
    return shown.kind === "token" ? answerLater(Effect.as(sessions.end(shown.token), done)) : done
  },
})

const SETS_COOKIE = {
  "Set-Cookie": "The cookie `svc_token`: HttpOnly, SameSite=Lax, Secure outside of localhost, 30 days.",
}
const SENDS_NO_REFERRER = {
  "Referrer-Policy": "`no-referrer`, because the token is in the address; only if a token was read.",
}
const FOREIGN = SessionRefused

export const signupEndpoints = /* @__PURE__ */ (() =>
  [
    describe(register, {
      summary: "Make an account, or find it",
      description:
        "Idempotent on the address, which is compared without regard to case. Until the address is confirmed the key is shown whole and is good for five requests; the key of a confirmed account is masked here and mailed.",
      declare: errors =>
        HttpApiEndpoint.post(register.name, register.path, {
          payload: RegisterRequest,
          success: Registered,
          error: [...errors, BadRequest, TooManyRequests, NotSetUp],
        }),
    }),
    describe(login, {
      summary: "Mail a link to sign in",
      description: "The same answer, in the same time, whether the address is known or not.",
      declare: errors =>
        HttpApiEndpoint.post(login.name, login.path, {
          payload: LoginRequest,
          success: LinkOrdered,
          error: [...errors, BadRequest, FOREIGN, TooManyRequests, NotSetUp],
        }),
    }),
    describe(confirm, {
      summary: "Follow a mailed link",
      description:
        "Confirms the address and begins a session. A link works once, for 30 minutes; a browser is sent on to the account's page.",
      sends: { 200: { ...SETS_COOKIE, ...SENDS_NO_REFERRER }, 400: SENDS_NO_REFERRER },
      declare: errors =>
        HttpApiEndpoint.get(confirm.name, confirm.path, {
          query: querySchema(confirm.parameters),
          success: SignedInAnswer,
          error: [...errors, TooManyRequests, NotSetUp],
        }),
    }),
    describe(logout, {
      summary: "Sign out",
      description: "Ends the session of the cookie, and takes the cookie away.",
      sends: { 200: SETS_COOKIE },
      declare: errors =>
        HttpApiEndpoint.post(logout.name, logout.path, { success: SignedOut, error: [...errors, FOREIGN, NotSetUp] }),
    }),
  ] as const)()
