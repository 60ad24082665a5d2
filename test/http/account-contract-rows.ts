/** The contract of accounts: signing up and in, and what a session opens. */
import type { ContractRow } from "./contract-row.ts"

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
const rowsOfSession = (call: Call): ContractRow[] => [
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
  { path: `${V1}/auth/sessions` },
  { path: `${V1}/auth/sessions`, method: "DELETE" },
  { path: `${V1}/auth/account`, method: "PATCH", body: { api_version: null } },
  { path: `${V1}/auth/account` },
  { path: `${V1}/stripe/checkout`, method: "POST", body: { plan: "pro" } },
  { path: `${V1}/stripe/portal`, method: "POST" },
  { path: `${V1}/auth/account/erase`, method: "POST", body: { email: "pro@example.org" } },
  { path: `${V1}/affiliate/apply-referral`, method: "POST", body: {} },
]

const register = (body: unknown): Call => ({ method: "POST", path: `${V1}/register`, body })
const login = (body: unknown): Call => ({ method: "POST", path: `${V1}/auth/login`, body })
const follow = (body: unknown): Call => ({ method: "POST", path: `${V1}/auth/confirm`, body })
const replaceKey = (body?: unknown): Call => ({ method: "POST", path: `${V1}/auth/regenerate-key`, body })
const change = (body: unknown): Call => ({ method: "PATCH", path: `${V1}/auth/account`, body })

const buy = (body: unknown): Call => ({ method: "POST", path: `${V1}/stripe/checkout`, body })
const openPortal: Call = { method: "POST", path: `${V1}/stripe/portal` }
const event: Call = { method: "POST", path: `${V1}/stripe/webhook` }
const affiliate = (path: string, body: unknown): Call => ({ method: "POST", path: `${V1}/affiliate/${path}`, body })
const STATS = `${V1}/affiliate/stats`

const PAID = "/api/x402/visa"

const PATH = `${V1}/team-keys`
const listKeys: Call = { path: PATH }
const makeKey = (body: unknown): Call => ({ method: "POST", path: PATH, body })
const endKey = (query: string): Call => ({ method: "DELETE", path: PATH + query })
const eraseAs = (email: string): Call => ({ method: "POST", path: `${V1}/auth/account/erase`, body: { email } })

const TEAM_KEYS: readonly Call[] = [listKeys, makeKey({ name: "Tokyo desk" }), endKey("?id=1")]

/** What every endpoint of team keys says, from the key to the plan. */
const rowsOfTeamKeys = (call: Call): ContractRow[] => [
  row("asks for a key", call, { status: 401, answers: NO_QUOTA }),
  row("takes no key that nobody has", call, { as: "stranger", status: 403 }),
  row("is not in lower plans", call, { as: "pro", status: 403, reads: { required_plan: "business" } }),
]

const KEYS = `${V1}/keys`
const newKey = (body: unknown): Call => ({ method: "POST", path: KEYS, body })
const oneKey = (method: string, id: string): Call => ({
  method,
  path: `${KEYS}/${id}${method === "POST" ? "/rotate" : ""}`,
})
const AUDIT = `${V1}/audit`
const KEY_CALLS: readonly Call[] = [
  { path: AUDIT },
  { path: KEYS },
  newKey({ name: "Shop", scopes: ["visa"] }),
  oneKey("POST", "1"),
  oneKey("DELETE", "1"),
]

/** A row of one key; the reference has its path with the name of the parameter. */
const rowOfKey = (...[claim, call, rest]: Parameters<typeof row>): ContractRow => ({
  ...row(claim, call, rest),
  endpoint: (call.path.split("?")[0] as string).replace(/keys\/[^/]+/, "keys/{id}"),
})

/** What every endpoint of keys says, from the key to its scope. */
const rowsOfKeys = (call: Call): ContractRow[] => [
  rowOfKey("asks for a key", call, { status: 401, answers: NO_QUOTA }),
  rowOfKey("takes no key that has expired", call, { as: "expired", status: 401, reads: { error: "expired" } }),
  rowOfKey("takes no key without the scope", call, { as: "team", status: 403, reads: { required_scope: "team" } }),
]

export const ACCOUNT_ROWS: readonly ContractRow[] = [
  ...KEY_CALLS.flatMap(rowsOfKeys),
  rowOfKey(
    "tells who has changed what",
    { path: AUDIT },
    {
      as: "pro",
      status: 200,
      reads: { "audit.0.action": "account_made", next_cursor: null },
    },
  ),
  rowOfKey("names what is no number of changes", { path: `${AUDIT}?limit=0` }, { as: "pro", status: 400 }),
  rowOfKey("names what is no cursor", { path: `${KEYS}?cursor=x` }, { as: "pro", status: 400 }),
  row("names what is no cursor", { path: `${PATH}?cursor=x` }, { as: "business", status: 400 }),
  row(
    "tells who is signed in",
    { path: `${V1}/auth/sessions` },
    {
      headers: OWN,
      session: "pro",
      status: 200,
      reads: { "sessions.0.current": true },
    },
  ),
  row(
    "signs out everywhere",
    { path: `${V1}/auth/sessions`, method: "DELETE" },
    {
      headers: OWN,
      session: "spent",
      status: 200,
      reads: { ok: true },
    },
  ),
  rowOfKey("lists keys", { path: KEYS }, { as: "pro", status: 200, reads: { "keys.0.kind": "account" } }),
  rowOfKey("makes a key", newKey({ name: "Shop", scopes: ["visa"] }), {
    as: "pro",
    status: 201,
    reads: { "key.name": "Shop", "key.scopes": ["visa"] },
  }),
  rowOfKey("names what is wrong with a key", newKey({ name: "Shop", scopes: [] }), {
    as: "pro",
    status: 400,
    reads: { error: "scopes: Expected at least one scope" },
  }),
  rowOfKey("reads no larger body", newKey(TOO_LARGE), { as: "pro", status: 413 }),
  rowOfKey("replaces nobody else's key", oneKey("POST", "999"), { as: "pro", status: 404 }),
  rowOfKey("replaces no key without a number", oneKey("POST", "x"), { as: "pro", status: 400 }),
  rowOfKey("ends nobody else's key", oneKey("DELETE", "999"), { as: "pro", status: 404 }),
  rowOfKey("ends no key without a number", oneKey("DELETE", "x"), { as: "pro", status: 400 }),
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
  row("names what is not an address", login({ email: "nobody" }), { headers: OWN, status: 400 }),
  row("takes no visitors of another site", login({ email: "nobody@example.org" }), { headers: OTHER, status: 403 }),
  row("reads no larger body", login(TOO_LARGE), { headers: OWN, status: 413 }),
  row("takes no link that is none", follow({ token: "a".repeat(43) }), { headers: OWN, status: 400 }),
  row("follows no link for another site", follow({ token: "a".repeat(43) }), { headers: OTHER, status: 403 }),
  row("reads no larger body", follow(TOO_LARGE), { headers: OWN, status: 413 }),
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
  row("names what is no choice", replaceKey({ end_team_keys: 1 }), { headers: OWN, session: "free", status: 400 }),
  row("reads no larger body", replaceKey(TOO_LARGE), { headers: OWN, session: "free", status: 413 }),
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
  ...TEAM_KEYS.flatMap(rowsOfTeamKeys),
  row("lists team keys", listKeys, { as: "business", status: 200 }),
  row("lists no team keys for a team key", listKeys, { as: "team", status: 403, reads: { required_scope: "team" } }),
  row("makes a team key", makeKey({ name: "Tokyo desk" }), {
    as: "business",
    status: 201,
    reads: { "team_key.name": "Tokyo desk", "team_key.active": true },
  }),
  row("names what is no name", makeKey({ name: "" }), { as: "business", status: 400 }),
  row("lets no team key make another", makeKey({ name: "Tokyo desk" }), {
    as: "team",
    status: 403,
    reads: { required_scope: "team" },
  }),
  row("reads no larger body", makeKey(TOO_LARGE), { as: "business", status: 413 }),
  row("names what is not a number", endKey("?id=x"), { as: "business", status: 400 }),
  row("takes a number once", endKey("?id=1&id=2"), { as: "business", status: 400 }),
  row("ends nobody else's", endKey("?id=8"), { as: "business", status: 404 }),
  row("gives everything that is kept", { path: `${V1}/auth/account` }, { headers: OWN, session: "free", status: 200 }),
  row("erases no account that was not meant", eraseAs("pro@example.org"), {
    headers: OWN,
    session: "free",
    status: 400,
  }),
  row("reads no larger body", eraseAs("a".repeat(70_000)), { headers: OWN, session: "free", status: 413 }),
  row("sells no plan that there is not", buy({ plan: "gold" }), { headers: OWN, session: "pro", status: 400 }),
  row("reads no larger body", buy(TOO_LARGE), { headers: OWN, session: "pro", status: 413 }),
  row("opens no portal for who has bought nothing", openPortal, { headers: OWN, session: "pro", status: 404 }),
  row("takes no event that is not signed", { ...event, body: {} }, { status: 400 }),
  row("reads no larger body", { ...event, body: TOO_LARGE }, { status: 413 }),
  ...["register", "track-click"].flatMap(path => [
    row("names what is missing", affiliate(path, {}), { status: 400 }),
    row("reads no larger body", affiliate(path, TOO_LARGE), { status: 413 }),
  ]),
  row("names what is missing", affiliate("apply-referral", {}), { headers: OWN, session: "pro", status: 400 }),
  row("reads no larger body", affiliate("apply-referral", TOO_LARGE), { headers: OWN, session: "pro", status: 413 }),
  row("makes an affiliate", affiliate("register", { name: "Ira", email: "ira@example.org" }), { status: 201 }),
  row("finds an affiliate", affiliate("register", { name: "Ira", email: "IRA@example.org" }), { status: 200 }),
  row("counts nobody's clicks", affiliate("track-click", { affiliate_id: "aff_00000000" }), { status: 404 }),
  row(
    "knows no such affiliate",
    affiliate("apply-referral", { referral_code: "aff_00000000", email: "pro@example.org" }),
    { headers: OWN, session: "pro", status: 404 },
  ),
  row("asks to sign in", { path: STATS }, { status: 401 }),
  row("takes no two sessions", { path: STATS }, { headers: TWICE, status: 400 }),
  row("knows no such affiliate", { path: `${STATS}?affiliate_id=aff_00000000&email=ira@example.org` }, { status: 404 }),
  row(
    "says what a call costs",
    { path: `${PAID}?passport=IND&destination=DEU` },
    {
      status: 402,
      answers: { "payment-required": /^[\w+/=]+$/, ...NO_QUOTA },
      reads: { x402Version: 2, "accepts.0.amount": "30000" },
    },
  ),
  row("names what is missing", { path: `${PAID}?passport=IND` }, { status: 400 }),
  row(
    "takes no payment that is none",
    { path: `${PAID}?passport=IND&destination=DEU` },
    {
      headers: { "payment-signature": "nonsense" },
      status: 400,
    },
  ),
]
