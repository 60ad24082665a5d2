/** Subscriptions, which are made before they are asked for: number 1 is the team key's owner's, number 2 of the plan business. */
import { type ContractRow, post, V1 } from "./contract-row.ts"
import type { Ask } from "./service.ts"

const HOOK = { url: "https://hooks.example/visa", description: "Desk" }
const HOOKS = `${V1}/webhooks`
/** What a row of a subscription may say otherwise; `nobody` sends no key. */
type HookRow = Omit<Partial<ContractRow>, "as"> & { readonly as?: ContractRow["as"] | "nobody" }
const visaHook = (claim: string, status: number, { as = "business", ...rest }: HookRow = {}): ContractRow => ({
  claim,
  endpoint: HOOKS,
  path: HOOKS,
  status,
  ...(as === "nobody" ? {} : { as }),
  ...rest,
})
const remove: Ask = { method: "DELETE" }
const askPost: Ask = { method: "POST" }
const enable = (id: number | string) => {
  const endpoint = `${HOOKS}/enable`
  return { endpoint, path: `${endpoint}?id=${id}`, ask: askPost }
}

/** The rows of the visa service. */
export const VISA_HOOK_ROWS: readonly ContractRow[] = [
  ...[{}, post(HOOK), { ask: remove }].flatMap(question => [
    visaHook("webhooks take a key", 401, { ...question, as: "nobody" }),
    visaHook("webhooks are for business and above", 403, {
      ...question,
      as: "pro",
      reads: { required_plan: "business" },
    }),
  ]),
  visaHook("a webhook is made, and shows its secret once", 201, {
    ...post({ ...HOOK, filter: { passports: ["FRA"], severity: "major" } }),
    as: "team",
    reads: { "webhook.id": 1, "webhook.active": true, "webhook.filter.passports": ["FRA"] },
  }),
  visaHook("a webhook to an address that is not public is 400", 400, post({ url: "https://127.0.0.1/" })),
  visaHook("a code in small letters is 400", 400, post({ ...HOOK, filter: { passports: ["fra"] } })),
  visaHook("a filter that nobody reads is 400", 400, post({ ...HOOK, filter: { passport: ["FRA"] } })),
  visaHook("a body that is too large is 413", 413, post(`"${"x".repeat(65_536)}"`)),
  visaHook("webhooks are listed without their secrets", 200, {
    as: "team",
    reads: { "webhooks.0.id": 1, "webhooks.0.secret": undefined, "webhooks.0.last_delivery": null },
  }),
  visaHook("a webhook is switched on again", 200, { ...enable(1), as: "team", reads: { "webhook.active": true } }),
  visaHook("another account's webhook is not switched on", 404, enable(1)),
  visaHook("an id of another kind is not switched on", 400, enable("wh_1")),
  visaHook("switching on takes a key", 401, { ...enable(1), as: "nobody" }),
  visaHook("switching on is for business and above", 403, { ...enable(1), as: "pro" }),
  visaHook("a cursor that is not a number is 400", 400, { path: `${HOOKS}?cursor=x` }),
  visaHook("an id that is not a number is 400", 400, { path: `${HOOKS}?id=wh_1`, ask: remove }),
  visaHook("another account's webhook is 404", 404, { path: `${HOOKS}?id=1`, ask: remove }),
  visaHook("a webhook is ended", 200, {
    path: `${HOOKS}?id=1`,
    ask: remove,
    as: "team",
    reads: { deleted: true, id: 1 },
  }),
]

const hookRow = (
  claim: string,
  endpoint: string,
  status: number,
  { as = "business", ...rest }: HookRow = {},
): ContractRow => ({
  claim,
  endpoint,
  path: endpoint.replace("{id}", "wh_2").replace("{delivery_id}", "2"),
  status,
  ...(as === "nobody" ? {} : { as }),
  bears: true,
  ...rest,
})

const PATHS_OF_ONE = [
  ["/webhooks/{id}", {}],
  ["/webhooks/{id}/ping", askPost],
  ["/webhooks/{id}/enable", askPost],
  ["/webhooks/{id}/rotate-secret", askPost],
  ["/webhooks/{id}/deliveries", {}],
  ["/webhooks/{id}/deliveries/{delivery_id}/replay", askPost],
  ["/webhooks/{id}", remove],
] as const

/** The rows of the lookup. */
export const LOOKUP_HOOK_ROWS: readonly ContractRow[] = [
  hookRow("a webhook is made, and shows its secret once", "/webhooks", 201, {
    ...post({ ...HOOK, events: ["visa.policy_changed"], passports: ["fra"], destinations: ["JPN"] }),
    reads: { id: "wh_2", active: true, passports: ["FRA"] },
  }),
  hookRow("a second one is made", "/webhooks", 201, post(HOOK)),
  hookRow("webhooks are listed", "/webhooks", 200, { reads: { "webhooks.0.id": "wh_2" } }),
  hookRow("a page of nought webhooks is 400", "/webhooks", 400, {
    path: "/webhooks?limit=0",
    reads: { "error.param": "limit" },
  }),
  hookRow("an event that there is not is 400", "/webhooks", 400, {
    ...post({ ...HOOK, events: ["visa.changed"] }),
    reads: { "error.code": "invalid_parameter", "error.param": "events[0]" },
  }),
  hookRow("a body that is not valid JSON is 400", "/webhooks", 400, {
    ...post("{"),
    reads: { "error.code": "invalid_request" },
  }),
  hookRow("a text with half of a character is 400, because it cannot be stored", "/webhooks", 400, {
    ...post({ ...HOOK, description: "\ud800" }),
    reads: { "error.param": "description" },
  }),
  hookRow("a body that is too large is 413", "/webhooks", 413, post(`"${"x".repeat(65_536)}"`)),
  ...([["/webhooks", {}], ["/webhooks", post(HOOK).ask ?? {}], ...PATHS_OF_ONE] as const).flatMap(([endpoint, ask]) => [
    hookRow("webhooks take a key", endpoint, 401, { ask, as: "nobody" }),
    hookRow("webhooks are for business and above", endpoint, 403, {
      ask,
      as: "pro",
      reads: { "error.code": "plan_too_low" },
    }),
  ]),
  hookRow("a change is simulated, for those that follow it", "/webhooks/simulate", 202, {
    ...post({ passport: "FRA", destination: "JPN" }),
    as: "test",
    reads: { webhooks: [] },
  }),
  hookRow("a simulated change of no pair is 400", "/webhooks/simulate", 400, {
    ...post({ passport: "FRA" }),
    as: "test",
    reads: { "error.param": "destination" },
  }),
  hookRow("a simulated change that is too large is 413", "/webhooks/simulate", 413, {
    ...post(`"${"x".repeat(65_536)}"`),
    as: "test",
  }),
  hookRow("simulating takes a key", "/webhooks/simulate", 401, { ...post({}), as: "nobody" }),
  hookRow("simulating takes a test key", "/webhooks/simulate", 403, {
    ...post({}),
    reads: { "error.code": "wrong_key_mode" },
  }),
  ...PATHS_OF_ONE.flatMap(([endpoint, ask]) => [
    hookRow("an id of another kind is 400", endpoint, 400, {
      ask,
      path: endpoint.replace("{id}", "2").replace("{delivery_id}", "2"),
      reads: { "error.param": "id" },
    }),
    hookRow("another account's webhook is 404", endpoint, 404, { ask, as: "team" }),
    // The one that is ended is not the one that is asked for.
    hookRow("the owner is answered", endpoint, 200, { ask, ...(ask === remove ? { path: "/webhooks/wh_3" } : {}) }),
  ]),
]
