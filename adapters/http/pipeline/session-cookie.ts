/**
 * Did the owner of a session intend to send a request with its cookie, and how is it answered if not?
 *
 * A browser sends the cookie `svc_token` automatically, so a request that another site submits must be distinguished from the owner's own:
 * by `Sec-Fetch-Site`, which pages cannot set, and by `Origin`. Other programs send neither, and have the cookie because somebody gave it
 * to them. A cookie that comes twice with different values is refused, because a neighbouring host may have planted one of them.
 */

import { SESSION_DAYS } from "../../accounts/sessions.ts"
import { isToken } from "../../secrets/sealing.ts"
import { type Site, signInUrl } from "../../settings/site-links.ts"
import { isLoopbackHost } from "../../validation/addresses.ts"
import { readList } from "../../validation/header-list.ts"
import { type Answer, answerError, answerJson, NOT_STORED, type ServiceRequest } from "./http-message.ts"

const SESSION_COOKIE = "svc_token"
/** The cookie with the affiliate who referred the user of a browser, until the account is confirmed there. */
const BROUGHT_BY = "svc_brought_by"

/** More than any browser keeps for one site. */
const MOST_COOKIES = 256

/** The session in the cookies of a request: a token, none, or more than one. */
export type ShownSession =
  | { readonly kind: "none" }
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "unclear" }

/**
 * Reads the session of a `Cookie` header (RFC 6265, section 4.2).
 *
 * @example
 * ```ts
 * readSessionCookie(undefined) // => {"kind": "none"}
 * readSessionCookie("a=1; svc_token=x; b=2") // => {"kind": "token", "token": "x"}
 * readSessionCookie("svc_token=x; svc_token=y") // => {"kind": "unclear"}
 * ```
 */
export function readSessionCookie(cookie: string | undefined): ShownSession {
  const values = readCookies(cookie, SESSION_COOKIE)
  const [token] = values
  if (token === undefined || token === "") return { kind: "none" }
  return values.size === 1 ? { kind: "token", token } : { kind: "unclear" }
}

function readCookies(cookie: string | undefined, name: string): ReadonlySet<string> {
  const values = new Set<string>()
  // Several headers of this name arrive joined by semicolons or by commas, neither of which occurs in a value of ours.
  for (const pair of readList(cookie, { separator: /[;,]/, most: MOST_COOKIES })) {
    const equals = pair.indexOf("=")
    if (equals > 0 && pair.slice(0, equals).trim() === name) values.add(pair.slice(equals + 1).trim())
  }
  return values
}

/** The affiliate in the cookie, which the form to register has set; undefined if there is none. */
export const readBroughtBy = (cookie: string | undefined): string | undefined => [...readCookies(cookie, BROUGHT_BY)][0]

const isSecure = ({ publicUrl }: Site): boolean => !isLoopbackHost(new URL(publicUrl).hostname)

const writeCookie = (site: Site, name: string, value: string, maxAgeSeconds: number): string =>
  `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${isSecure(site) ? "; Secure" : ""}`

/** The header that begins a session in a browser. */
export const setSession = (site: Site, token: string): readonly string[] => {
  if (!isToken(token)) throw new Error("a session was begun with what is not a token")
  return ["set-cookie", writeCookie(site, SESSION_COOKIE, token, SESSION_DAYS * 86_400)]
}

/** The header that ends it. */
export const clearSession = (site: Site): readonly string[] => ["set-cookie", writeCookie(site, SESSION_COOKIE, "", 0)]

/** The header that stores an affiliate in a browser; null removes it. */
export const setBroughtBy = (site: Site, id: string | null): readonly string[] => [
  "set-cookie",
  writeCookie(site, BROUGHT_BY, id ?? "", id === null ? 0 : SESSION_DAYS * 86_400),
]

const readHost = (url: string): string | null => URL.parse(url)?.host ?? null

/**
 * Says whether another site has made a browser send a request: by `Sec-Fetch-Site`, else by an `Origin` that is not the
 * service's, `null` included. A request with neither was not sent by a browser. A prefetch counts as coming from elsewhere, because the
 * user has not requested it yet.
 */
export function comesFromElsewhere(request: ServiceRequest, { publicUrl }: Site): boolean {
  if (/\bprefetch\b/i.test(request.header("sec-purpose") ?? "")) return true
  // `none`: the user of the browser has requested it.
  if (!["same-origin", "none"].includes(request.header("sec-fetch-site") ?? "none")) return true
  const origin = request.header("origin")
  if (origin === undefined) return false
  const from = readHost(origin)
  // A cookie belongs to the host that a browser calls, so a page of that host may send it.
  return from === null || (from !== readHost(publicUrl) && from !== request.header("host"))
}

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
