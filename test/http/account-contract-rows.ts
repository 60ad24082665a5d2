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
  row("requires a session", call, {
    headers: OWN,
    status: 401,
    answers: { "www-authenticate": 'Session cookie="svc_token"', ...NO_QUOTA },
    reads: { error: "You are not signed in." },
  }),
  row("refuses an ended session", call, { headers: OWN, session: "ended", status: 401 }),
  row("refuses other sites", call, {
    headers: OTHER,
    session: "pro",
    status: 403,
    reads: { error: "This request comes from another site." },
  }),
  row("refuses two sessions", call, { headers: TWICE, status: 400 }),
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
  row("requires a key", call, { status: 401, answers: NO_QUOTA }),
  row("refuses an unknown key", call, { as: "stranger", status: 403 }),
  row("refuses lower plans", call, { as: "pro", status: 403, reads: { required_plan: "business" } }),
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
  rowOfKey("requires a key", call, { status: 401, answers: NO_QUOTA }),
  rowOfKey("refuses an expired key", call, { as: "expired", status: 401, reads: { error: "expired" } }),
  rowOfKey("refuses a key without the scope", call, { as: "team", status: 403, reads: { required_scope: "team" } }),
]

export const ACCOUNT_ROWS: readonly ContractRow[] = [
  ...KEY_CALLS.flatMap(rowsOfKeys),
  rowOfKey(
    "lists each change and who made it",
    { path: AUDIT },
    {
      as: "pro",
      status: 200,
      reads: { "audit.0.action": "account_made", next_cursor: null },
    },
  ),
  rowOfKey("reports an invalid limit", { path: `${AUDIT}?limit=0` }, { as: "pro", status: 400 }),
  rowOfKey("reports an invalid cursor", { path: `${KEYS}?cursor=x` }, { as: "pro", status: 400 }),
  row("reports an invalid cursor", { path: `${PATH}?cursor=x` }, { as: "business", status: 400 }),
  row(
    "lists the sessions",
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
  rowOfKey("reports mistakes in a key", newKey({ name: "Shop", scopes: [] }), {
    as: "pro",
    status: 400,
    reads: { error: "scopes: Expected at least one scope" },
  }),
  rowOfKey("limits the body", newKey(TOO_LARGE), { as: "pro", status: 413 }),
  rowOfKey("replaces only own keys", oneKey("POST", "999"), { as: "pro", status: 404 }),
  rowOfKey("refuses to replace an invalid id", oneKey("POST", "x"), { as: "pro", status: 400 }),
  rowOfKey("ends only own keys", oneKey("DELETE", "999"), { as: "pro", status: 404 }),
  rowOfKey("refuses to end an invalid id", oneKey("DELETE", "x"), { as: "pro", status: 400 }),
  ...SESSIONS.flatMap(rowsOfSession),
  row("makes an account from any page", register({ name: "New", email: "new@example.org" }), {
    status: 200,
    reads: { plan: "free" },
    answers: NO_QUOTA,
  }),
  row("reports the missing fields", register({ name: "New" }), {
    status: 400,
    reads: { error: "email: Missing, expected an e-mail address" },
  }),
  row("limits the body", register(TOO_LARGE), { status: 413 }),
  row("does not reveal unknown addresses", login({ email: "nobody@example.org" }), {
    headers: OWN,
    status: 200,
    reads: { ok: true },
  }),
  row("reports an invalid address", login({ email: "nobody" }), { headers: OWN, status: 400 }),
  row("refuses other sites", login({ email: "nobody@example.org" }), { headers: OTHER, status: 403 }),
  row("limits the body", login(TOO_LARGE), { headers: OWN, status: 413 }),
  row("refuses an unknown link", follow({ token: "a".repeat(43) }), { headers: OWN, status: 400 }),
  row("refuses other sites", follow({ token: "a".repeat(43) }), { headers: OTHER, status: 403 }),
  row("limits the body", follow(TOO_LARGE), { headers: OWN, status: 413 }),
  row(
    "signs out without a session",
    { method: "POST", path: `${V1}/auth/logout` },
    {
      headers: OWN,
      status: 200,
      answers: { "set-cookie": /^svc_token=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax; Secure$/ },
    },
  ),
  row("refuses other sites", { method: "POST", path: `${V1}/auth/logout` }, { headers: OTHER, status: 403 }),
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
    "reports that there is no key to replace",
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
  row("reports an invalid value", replaceKey({ end_team_keys: 1 }), { headers: OWN, session: "free", status: 400 }),
  row("limits the body", replaceKey(TOO_LARGE), { headers: OWN, session: "free", status: 413 }),
  row(
    "returns the usage",
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
  row("reports an unknown version", change({ api_version: "2020" }), { headers: OWN, session: "starter", status: 400 }),
  row("limits the body", change(TOO_LARGE), { headers: OWN, session: "starter", status: 413 }),
  ...TEAM_KEYS.flatMap(rowsOfTeamKeys),
  row("lists team keys", listKeys, { as: "business", status: 200 }),
  row("lists none for a team key", listKeys, { as: "team", status: 403, reads: { required_scope: "team" } }),
  row("makes a team key", makeKey({ name: "Tokyo desk" }), {
    as: "business",
    status: 201,
    reads: { "team_key.name": "Tokyo desk", "team_key.active": true },
  }),
  row("reports an empty name", makeKey({ name: "" }), { as: "business", status: 400 }),
  row("makes none for a team key", makeKey({ name: "Tokyo desk" }), {
    as: "team",
    status: 403,
    reads: { required_scope: "team" },
  }),
  row("limits the body", makeKey(TOO_LARGE), { as: "business", status: 413 }),
  row("reports an invalid id", endKey("?id=x"), { as: "business", status: 400 }),
  row("refuses two ids", endKey("?id=1&id=2"), { as: "business", status: 400 }),
  row("ends only own keys", endKey("?id=8"), { as: "business", status: 404 }),
  row("returns all stored data", { path: `${V1}/auth/account` }, { headers: OWN, session: "free", status: 200 }),
  row("requires the account's address", eraseAs("pro@example.org"), { headers: OWN, session: "free", status: 400 }),
  row("limits the body", eraseAs("a".repeat(70_000)), { headers: OWN, session: "free", status: 413 }),
  row("reports an unknown plan", buy({ plan: "gold" }), { headers: OWN, session: "pro", status: 400 }),
  row("limits the body", buy(TOO_LARGE), { headers: OWN, session: "pro", status: 413 }),
  row("has no portal without a purchase", openPortal, { headers: OWN, session: "pro", status: 404 }),
  row("refuses an unsigned event", { ...event, body: {} }, { status: 400 }),
  row("limits the body", { ...event, body: TOO_LARGE }, { status: 413 }),
  ...["register", "track-click", "apply-referral"].flatMap(path => [
    row("reports the missing fields", affiliate(path, {}), { status: 400 }),
    row("limits the body", affiliate(path, TOO_LARGE), { status: 413 }),
  ]),
  row("makes an affiliate", affiliate("register", { name: "Ira", email: "ira@example.org" }), { status: 201 }),
  row("finds an affiliate", affiliate("register", { name: "Ira", email: "IRA@example.org" }), { status: 200 }),
  row("refuses clicks for an unknown affiliate", affiliate("track-click", { affiliate_id: "aff_00000000" }), {
    status: 404,
  }),
  row(
    "rejects unknown affiliates",
    affiliate("apply-referral", { referral_code: "aff_00000000", email: "pro@example.org" }),
    { status: 404 },
  ),
  row("requires a session", { path: STATS }, { status: 401 }),
  row("refuses two sessions", { path: STATS }, { headers: TWICE, status: 400 }),
  row(
    "rejects unknown affiliates",
    { path: `${STATS}?affiliate_id=aff_00000000&email=ira@example.org` },
    { status: 404 },
  ),
  row(
    "states the price of a call",
    { path: `${PAID}?passport=IND&destination=DEU` },
    {
      status: 402,
      answers: { "payment-required": /^[\w+/=]+$/, ...NO_QUOTA },
      reads: { x402Version: 2, "accepts.0.amount": "30000" },
    },
  ),
  row("reports the missing fields", { path: `${PAID}?passport=IND` }, { status: 400 }),
  row(
    "takes no payment that is none",
    { path: `${PAID}?passport=IND&destination=DEU` },
    {
      headers: { "payment-signature": "nonsense" },
      status: 400,
    },
  ),
]
