/** How is a request answered if its session is missing, ambiguous or not sufficient? */

import { type Site, signInUrl } from "../../settings/site-links.ts"
import { type Answer, answerJson, NOT_STORED } from "./http-answer.ts"
import { answerError } from "./http-errors.ts"

const askToSignIn = (site: Site, error: string, message: string): Answer =>
  // RFC 9110, section 15.5.2: a 401 names a way to authenticate.
  answerJson(401, { error, message, login_url: signInUrl(site) }, [
    ...NOT_STORED,
    "www-authenticate",
    'Session cookie="svc_token"',
  ])

/** No session was shown, or one that has ended. */
export const answerNoSession = (site: Site): Answer =>
  askToSignIn(site, "You are not signed in.", "Ask for a link by POST /api/v1/visa/auth/login {email}, and follow it.")

/** The answer if the session's link was followed too long ago for the action. */
export const answerNotFresh = (site: Site): Answer =>
  askToSignIn(
    site,
    "You signed in more than an hour ago.",
    "Keys are shown and accounts erased within an hour of following a link: ask for another one, and follow it.",
  )

/** Two sessions at once. */
export const UNCLEAR_SESSION = /* @__PURE__ */ answerError(
  400,
  "The cookie svc_token was sent twice, with different values.",
)

/** Another site has made a browser send this. */
export const FROM_ELSEWHERE = /* @__PURE__ */ answerJson(
  403,
  {
    error: "This request comes from another site.",
    message: "Sessions are for the service's own pages and for programs.",
  },
  NOT_STORED,
)

/** An operator has ended the account. */
export const DISABLED_ACCOUNT = /* @__PURE__ */ answerJson(
  403,
  { error: "This account is disabled.", message: "Ask the operator of the service." },
  NOT_STORED,
)
