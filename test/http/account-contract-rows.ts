/** The contract of accounts: signing up and in, and what a session opens. */
import type { ContractRow } from "./contract-rows.ts"

const V1 = "/api/v1/visa"

/** The page that sends these is the service's own. */
const OWN = { origin: "https://visa.example", "sec-fetch-site": "same-origin" }
const OTHER = { origin: "https://other.example", "sec-fetch-site": "cross-site" }
const TWICE = { ...OWN, cookie: `svc_token=${"a".repeat(43)}; svc_token=${"b".repeat(43)}` }
const TOO_LARGE = JSON.stringify({ name: "a".repeat(70_000) })
const NO_QUOTA = { "x-ratelimit-limit": null, "x-plan": null }

interface Call {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
}

const headersOf = (body: unknown): Record<string, string> =>
  body === undefined ? {} : { "content-type": "application/json" }

/** A case of an endpoint. */
const row = (
  claim: string,
  { method = "GET", path, body }: Call,
  {
    headers = {},
    ...rest
  }: Omit<ContractRow, "claim" | "endpoint" | "path" | "ask" | "headers"> & {
    readonly headers?: Record<string, string>
    readonly answers?: ContractRow["headers"]
  },
): ContractRow => {
  const { answers, ...others } = rest
  return {
    claim,
    endpoint: path.split("?")[0] as string,
    path,
    ask: {
      method,
      headers: { ...headersOf(body), ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    },
    ...(answers === undefined ? {} : { headers: answers }),
    ...others,
  }
}

/** What every endpoint with a session says, from the session to the request. */
export const rowsOfSession = (call: Call): ContractRow[] => [
  row("asks to sign in", call, {
    headers: OWN,
    status: 401,
    answers: { "www-authenticate": 'Session cookie="svc_token"', ...NO_QUOTA },
    reads: { error: "You are not signed in." },
  }),
  row("takes no session that has ended", call, { headers: OWN, session: "ended", status: 401 }),
  row("takes nothing from another site", call, {
    headers: OTHER,
    session: "pro",
    status: 403,
    reads: { error: "This request comes from another site." },
  }),
  row("takes no two sessions", call, { headers: TWICE, status: 400 }),
]

const SESSIONS: readonly Call[] = [
  { path: `${V1}/auth/ensure-key` },
  { path: `${V1}/auth/regenerate-key`, method: "POST" },
  { path: `${V1}/auth/usage` },
  { path: `${V1}/auth/account`, method: "PATCH", body: { api_version: null } },
]

const register = (body: unknown): Call => ({ method: "POST", path: `${V1}/register`, body })
const login = (body: unknown): Call => ({ method: "POST", path: `${V1}/auth/login`, body })
const change = (body: unknown): Call => ({ method: "PATCH", path: `${V1}/auth/account`, body })

export const ACCOUNT_ROWS: readonly ContractRow[] = [
  ...SESSIONS.flatMap(rowsOfSession),
  row("gives a stranger a key, from any page", register({ name: "New", email: "new@example.org" }), {
    status: 200,
    reads: { plan: "free" },
    answers: NO_QUOTA,
  }),
  row("names what is missing", register({ name: "New" }), {
    status: 400,
    reads: { error: "email: Missing, expected an e-mail address" },
  }),
  row("reads no larger body", register(TOO_LARGE), { status: 413 }),
  row("says to everybody that a link is on its way", login({ email: "nobody@example.org" }), {
    headers: OWN,
    status: 200,
    reads: { ok: true },
  }),
  row("names what is no address", login({ email: "nobody" }), { headers: OWN, status: 400 }),
  row("takes no visitors of another site", login({ email: "nobody@example.org" }), { headers: OTHER, status: 403 }),
  row("reads no larger body", login(TOO_LARGE), { headers: OWN, status: 413 }),
  row("takes no link that is none", { path: `${V1}/auth/confirm?token=${"a".repeat(43)}` }, { status: 400 }),
  row(
    "signs out whoever was not signed in",
    { method: "POST", path: `${V1}/auth/logout` },
    {
      headers: OWN,
      status: 200,
      answers: { "set-cookie": /^svc_token=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax; Secure$/ },
    },
  ),
  row(
    "takes nothing from another site",
    { method: "POST", path: `${V1}/auth/logout` },
    { headers: OTHER, status: 403 },
  ),
  row(
    "shows the account and its key",
    { path: `${V1}/auth/ensure-key` },
    {
      headers: OWN,
      session: "pro",
      status: 200,
      reads: { "user.plan": "pro" },
    },
  ),
  row(
    "replaces no key that is not there",
    { method: "POST", path: `${V1}/auth/regenerate-key` },
    {
      headers: OWN,
      session: "deactivated",
      status: 404,
    },
  ),
  row(
    "replaces the key",
    { method: "POST", path: `${V1}/auth/regenerate-key` },
    { headers: OWN, session: "unconfirmed", status: 200 },
  ),
  row(
    "says what was used",
    { path: `${V1}/auth/usage` },
    {
      headers: OWN,
      session: "hobby",
      status: 200,
      reads: { plan: "hobby", "pools.visa.limit": 10_000 },
    },
  ),
  row("pins a version", change({ api_version: "2026-03-01" }), {
    headers: OWN,
    session: "starter",
    status: 200,
    reads: { "user.api_version": "2026-03-01" },
  }),
  row("names the versions there are", change({ api_version: "2020" }), {
    headers: OWN,
    session: "starter",
    status: 400,
  }),
  row("reads no larger body", change(TOO_LARGE), { headers: OWN, session: "starter", status: 413 }),
]
