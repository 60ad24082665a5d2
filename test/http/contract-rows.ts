/**
 * The contract of the service, a row a case: who asks what, and what the answer is. Every status that the reference names for an
 * endpoint has a row here, and the same rows hold in every server that the service runs in.
 */
import { type ContractRow, post, type Question, V1 } from "./contract-row.ts"
import { DEVICE_ROWS } from "./device-rows.ts"
import { JOB_ROWS } from "./job-contract-rows.ts"
import { LOOKUP_ROWS } from "./lookup-contract-rows.ts"
import type { Persona } from "./personas.ts"
import { LOOKUP_HOOK_ROWS, VISA_HOOK_ROWS } from "./webhook-contract-rows.ts"

/** An endpoint that takes a key: a good question, one about nothing that is recorded, and one that is none. */
interface KeyedEndpoint {
  readonly endpoint: string
  readonly good: Question
  readonly unrecorded: Question
  readonly bad: Question
  readonly charge: number
  /** The lowest plan that has it, and one that has not. */
  readonly plans?: { readonly lowest: Persona; readonly tooLow: Persona }
  readonly allowsKeyless?: true
  readonly rendersMarkdown?: true
}

const STOPS = [
  { destination: "THA", from: "2028-12-01", to: "2028-12-20" },
  { destination: "JPN", from: "2028-12-20", to: "2028-12-24" },
]

const KEYED_ENDPOINTS: readonly KeyedEndpoint[] = [
  {
    endpoint: `${V1}/check`,
    good: { query: "?passport=FRA&destination=JPN" },
    unrecorded: { query: "?passport=FRA&destination=ZZZ" },
    bad: { query: "?passport=FR&destination=JPN" },
    charge: 1,
    allowsKeyless: true,
    rendersMarkdown: true,
  },
  {
    endpoint: V1,
    good: { query: "?passport=IND&destination=DEU&lang=fr" },
    unrecorded: { query: "?passport=FRA&destination=ZZZ" },
    bad: { query: "?passport=IND&destination=DEU&lang=xx" },
    charge: 1,
    rendersMarkdown: true,
  },
  {
    endpoint: `${V1}/bulk`,
    good: { query: "?passport=FRA&destination=JPN,DEU,ZZZ" },
    unrecorded: { query: "?passport=ZZZ&destination=JPN" },
    bad: { query: "?passport=FRA&destination=JP" },
    charge: 2,
    plans: { lowest: "pro", tooLow: "starter" },
  },
  {
    endpoint: `${V1}/group`,
    good: { query: "?passports=FRA,IND" },
    unrecorded: { query: "?passports=FRA,ZZZ" },
    bad: { query: "?passports=FRA" },
    charge: 1,
    plans: { lowest: "hobby", tooLow: "free" },
  },
  {
    endpoint: `${V1}/decision`,
    good: post({ passport: "FRA", passport_expiry: "2036-01-01", stops: STOPS, transit: ["ARE", "JPN"] }),
    unrecorded: post({ passport: "ZZZ", stops: STOPS }),
    bad: post({ passport: "FRA", stops: [] }),
    charge: 3,
  },
]

const JSON_BODY = { "content-type": "application/json" }
const QUOTA = { "x-ratelimit-limit": /^\d+$/, "x-ratelimit-remaining": /^\d+$/, "x-plan": /^[a-z]+$/ }
const NO_QUOTA = { "x-ratelimit-limit": null, "x-ratelimit-remaining": null, "x-plan": null }

/** The rows that every endpoint with a key has: the order of checks, from the key to the record. */
function rowsOf(keyed: KeyedEndpoint): ContractRow[] {
  const { endpoint, good, unrecorded, bad, charge, plans, allowsKeyless, rendersMarkdown } = keyed
  const lowest = plans?.lowest ?? "free"
  const row = (
    claim: string,
    { query = "", ask }: Question,
    rest: Omit<ContractRow, "claim" | "endpoint" | "path">,
  ): ContractRow => ({
    claim,
    endpoint,
    path: endpoint + query,
    ...rest,
    ...(ask === undefined ? {} : { ask: { ...ask, headers: { ...ask.headers, ...rest.ask?.headers } } }),
    free: { path: endpoint + (bad.query ?? ""), ...(bad.ask === undefined ? {} : { ask: bad.ask }) },
  })
  const rows = [
    row("a valid request is answered and charged", good, {
      as: lowest,
      status: 200,
      charge,
      headers: {
        ...QUOTA,
        ...JSON_BODY,
        "x-plan": lowest,
        "ratelimit-policy": /^"monthly";q=/,
        ratelimit: /^"monthly";r=/,
      },
    }),
    row("a team key answers for its owner's plan", good, {
      as: "team",
      status: 200,
      headers: { "x-plan": "business" },
    }),
    row("no key is 401", good, { status: 401, headers: { ...NO_QUOTA, ...JSON_BODY, "www-authenticate": /^ApiKey/ } }),
    row("no key is 401 before the parameters are validated", bad, { status: 401 }),
    row("an unknown key is 403", good, { as: "stranger", status: 403, headers: NO_QUOTA }),
    row("an unknown key is 403 before the parameters are validated", bad, { as: "stranger", status: 403 }),
    row("a deactivated key is 403", good, { as: "deactivated", status: 403 }),
    row("an invalid parameter is 400 and costs nothing", bad, { as: lowest, status: 400, charge: 0, headers: QUOTA }),
    row("an invalid parameter is 400 before the quota is checked", bad, { as: "spent", status: 400 }),
    row("what is not recorded is 404 and costs nothing", unrecorded, {
      as: lowest,
      status: 404,
      charge: 0,
      headers: QUOTA,
    }),
    row("a spent quota is 429", good, {
      as: "spent",
      status: 429,
      headers: { ...QUOTA, "x-ratelimit-remaining": "0", "x-ratelimit-reset": /^\d{10}$/, "retry-after": /^[1-9]\d*$/ },
    }),
    row("a spent quota is 429 before the record is looked up", unrecorded, { as: "spent", status: 429 }),
    row("an unconfirmed account has its own limit in the headers", bad, {
      as: "unconfirmed",
      status: plans === undefined ? 400 : 403,
      headers: { "x-ratelimit-limit": "5" },
    }),
  ]
  if (plans !== undefined) {
    const refused = { as: plans.tooLow, status: 403, headers: { ...QUOTA, "x-plan": plans.tooLow } } as const
    rows.push(
      row("a plan that is too low is 403 and names the required one", good, {
        ...refused,
        charge: 0,
        reads: { required_plan: plans.lowest },
      }),
      row("a plan that is too low is 403 before the parameters are validated", bad, refused),
    )
  }
  if (rendersMarkdown) {
    const headers = { "content-type": /^text\/markdown/, vary: /Accept(,|$)/, ...QUOTA }
    rows.push(
      row("a client that accepts markdown gets markdown", good, {
        as: lowest,
        ask: { headers: { accept: "text/markdown" } },
        status: 200,
        headers,
      }),
    )
  }
  if (allowsKeyless) {
    rows.push(
      row("a page on localhost needs no key", good, { keyless: true, status: 200, headers: NO_QUOTA }),
      row("a key is verified from localhost too", good, { keyless: true, as: "stranger", status: 403 }),
    )
  }
  return rows
}

const publicRow = (claim: string, path: string, status: number, rest: Partial<ContractRow> = {}): ContractRow => ({
  claim,
  endpoint: path.split("?")[0] as string,
  path,
  status,
  ...rest,
})

const decisionRow = (claim: string, body: unknown, status: number, rest: Partial<ContractRow> = {}): ContractRow => ({
  claim,
  endpoint: `${V1}/decision`,
  path: `${V1}/decision`,
  as: "free",
  status,
  ...post(body),
  ...rest,
})

const SPOTS = "/api/v1/spots"

/** The rows of an endpoint of the spots: whoever has a key is on its quota, everybody else on an allowance of the address. */
function spotRows(endpoint: string, path: string): ContractRow[] {
  const row = (claim: string, status: number, rest: Partial<ContractRow> = {}): ContractRow => ({
    claim,
    endpoint,
    path,
    status,
    ...rest,
  })
  return [
    row("spots need no key", 200, {
      headers: { "x-ratelimit-limit": "30", "ratelimit-policy": '"daily";q=30;w=86400', "x-ratelimit-reset": /^\d+$/ },
    }),
    row("a key has its plan's quota of spots", 200, {
      as: "hobby",
      charge: 1,
      free: { path: `${SPOTS}?limit=0` },
      headers: { "x-ratelimit-limit": "10000", "ratelimit-policy": /^"monthly";q=10000;w=\d+$/ },
    }),
    row("an unknown key is 403", 403, { as: "stranger" }),
    row("a key that has expired is 401", 401, { as: "expired", reads: { error: "expired" } }),
    row("a key for lookups is 403 for spots", 403, { as: "lookup only", reads: { required_scope: "spots" } }),
    row("a spent quota of spots is 429", 429, {
      as: "spent",
      headers: { "x-ratelimit-remaining": "0", "retry-after": /^[1-9]\d*$/ },
    }),
  ]
}

/** Every row. */
export const CONTRACT: readonly ContractRow[] = [
  ...KEYED_ENDPOINTS.flatMap(rowsOf),
  decisionRow(
    "an itinerary that is blocked has that verdict",
    { passport: "FRA", passport_expiry: "2028-12-10", stops: STOPS },
    200,
    {
      reads: { "data.verdict": "blocked", "meta.pairs_charged": 2 },
    },
  ),
  decisionRow("an itinerary has a compact answer on request", { passport: "FRA", stops: STOPS }, 200, {
    path: `${V1}/decision?view=compact`,
    reads: { "data.view": "compact", "data.verdict": "no_blocker_found", "meta.pairs_charged": 2 },
  }),
  decisionRow("an unknown form of the answer is 400", { passport: "FRA", stops: STOPS }, 400, {
    path: `${V1}/decision?view=short`,
  }),
  decisionRow(
    "an itinerary that costs nothing is 429 for a spent quota too",
    { passport: "FRA", stops: [{ destination: "ZZZ", from: "2028-12-01", to: "2028-12-20" }] },
    429,
    { as: "spent" },
  ),
  decisionRow(
    "an itinerary without any record is answered and costs nothing",
    { passport: "FRA", stops: [{ destination: "ZZZ", from: "2028-12-01", to: "2028-12-20" }] },
    200,
    { charge: 0, reads: { "meta.pairs_charged": 0 } },
  ),
  decisionRow("a body that is not valid JSON is 400, with an example", "{", 400, {
    reads: { "example.passport": "FRA" },
  }),
  decisionRow(
    "a body that is not UTF-8 is 400, also within a text",
    Buffer.from(JSON.stringify({ passport: "FRA", stops: STOPS, purpose: "caf\u00e9" }), "latin1"),
    400,
    { reads: { "example.passport": "FRA" } },
  ),
  decisionRow("a body that is too large is 413", `"${"x".repeat(65_536)}"`, 413),
  publicRow("statistics are public, and cached for an hour", `${V1}/stats`, 200, {
    headers: { "cache-control": "public, max-age=3600", ...NO_QUOTA },
  }),
  publicRow("public endpoints ignore a key", `${V1}/stats`, 200, { as: "stranger" }),
  publicRow("the feed of changes is withdrawn", `${V1}/changes?limit=0&passport=x`, 503, {
    headers: { "retry-after": "86400", deprecation: /^@\d+$/, sunset: / GMT$/, link: /rel="deprecation"/ },
    reads: { status: "unavailable" },
  }),
  ...(["atom", "ics"] as const).flatMap(form => [
    publicRow("a feed of changes is public, and cached for 15 minutes", `/changes.${form}?passport=FRA`, 200, {
      headers: { "cache-control": "public, max-age=900", etag: /^W\/"/, ...NO_QUOTA },
    }),
    publicRow("a feed that the client has is not sent again", `/changes.${form}?passport=FRA&destination=JPN`, 304, {
      ask: { headers: { "if-none-match": "*" } },
    }),
    publicRow("a feed of an invalid code is 400", `/changes.${form}?passport=fra`, 400),
    publicRow("a feed without a record is 404", `/changes.${form}?passport=FRA&destination=ZZZ`, 404),
  ]),
  publicRow("a score is public", `${V1}/score?passport=FRA`, 200, { reads: { passport: "FRA", total_ranked: 199 } }),
  publicRow("a score of an invalid code is 400", `${V1}/score?passport=fra`, 400),
  publicRow("a score without a record is 404", `${V1}/score?passport=ZZZ`, 404),
  publicRow("a comparison is public", `${V1}/score/compare?passport1=FRA&passport2=IND`, 200),
  publicRow("a comparison with one passport is 400", `${V1}/score/compare?passport1=FRA`, 400),
  publicRow("a comparison without a record is 404", `${V1}/score/compare?passport1=FRA&passport2=ZZZ`, 404),
  publicRow("recent activity is public, and cached for five seconds", `${V1}/live/recent`, 200, {
    headers: { "cache-control": "public, max-age=5" },
  }),
  ...DEVICE_ROWS,
  ...JOB_ROWS,
  ...VISA_HOOK_ROWS,
  ...LOOKUP_ROWS,
  ...LOOKUP_HOOK_ROWS,
  ...spotRows(SPOTS, `${SPOTS}?near=35.68,139.69&radius_km=100&limit=2`),
  ...spotRows(`${SPOTS}/{id}`, `${SPOTS}/aachen-cathedral`),
  ...spotRows("/api/spots/countries", "/api/spots/countries"),
  {
    claim: "an invalid parameter of spots is 400",
    endpoint: SPOTS,
    path: `${SPOTS}?limit=51`,
    as: "free",
    status: 400,
  },
  {
    claim: "an unknown spot is 404",
    endpoint: `${SPOTS}/{id}`,
    path: `${SPOTS}/nowhere`,
    as: "free",
    status: 404,
  },
  publicRow("the process reports that it is running", "/healthz", 200, { reads: { status: "ok" } }),
  publicRow("the process reports that it is ready", "/readyz", 200, { reads: { status: "ready" } }),
  publicRow("metrics are text", "/metrics", 200, { headers: { "content-type": /^text\/plain; version=0\.0\.4/ } }),
]
