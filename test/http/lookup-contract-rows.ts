import type { ContractRow } from "./contract-row.ts"

/** A row of the lookup, whose keys are bearer tokens. */
const lookupRow = (claim: string, path: string, status: number, rest: Partial<ContractRow> = {}): ContractRow => ({
  claim,
  endpoint: path.split("?")[0] as string,
  path,
  status,
  bears: true,
  ...rest,
})

const PER_SECOND = { "x-ratelimit-limit": "1000", "x-ratelimit-remaining": /^\d+$/, "x-ratelimit-reset": /^\d{10}$/ }

const PAIR = "?passport=fra&destination=JPN"

/** What every endpoint of the lookup says to somebody who may not call. */
const lookupRefusals = (path: string) => [
  lookupRow("no key is 401", path, 401, {
    headers: { "www-authenticate": "Bearer" },
    reads: { "error.code": "missing_api_key" },
  }),
  lookupRow("an unknown key is 401", path, 401, { as: "stranger", reads: { "error.code": "invalid_api_key" } }),
  lookupRow("an answer that the client has is not sent again", path, 304, {
    as: "business",
    ask: { headers: { "if-none-match": "*" } },
    headers: { etag: /^W\/"/, "cache-control": "private, max-age=3600", ...PER_SECOND },
  }),
]

/** The rows of the lookup. */
export const LOOKUP_ROWS: readonly ContractRow[] = [
  ...[`/visa${PAIR}`, "/passports?locale=fr", "/destinations", "/zones", `/policies/history${PAIR}`].flatMap(path => [
    lookupRow("a valid request is answered, with the rest of the second's limit", path, 200, {
      as: "business",
      headers: { etag: /^W\/"/, "cache-control": "private, max-age=3600", ...PER_SECOND },
    }),
    ...lookupRefusals(path),
  ]),
  ...["/visa", "/policies/history"].map(path =>
    lookupRow("a spent quota is 403", `${path}${PAIR}`, 403, {
      as: "spent",
      headers: { "retry-after": null },
      reads: { "error.code": "quota_exceeded" },
    }),
  ),
  lookupRow("a pair without a record is 404", "/visa?passport=IND&destination=ATF", 404, {
    as: "business",
    reads: { "error.code": "not_found" },
  }),
  lookupRow("a pair without a record has no history", "/policies/history?passport=IND&destination=ATF", 404, {
    as: "business",
  }),
  lookupRow("an alpha-2 code is 400", "/visa?passport=FR&destination=JPN", 400, {
    as: "business",
    headers: PER_SECOND,
    reads: { "error.code": "invalid_passport", "error.param": "passport" },
  }),
  lookupRow("a code that nobody has is 400", "/policies/history?passport=FRA&destination=ZZZ", 400, {
    as: "business",
    reads: { "error.code": "invalid_destination" },
  }),
  ...["/passports", "/destinations"].map(path =>
    lookupRow("what is no tag of a language is 400", `${path}?locale=fr_FR`, 400, {
      as: "business",
      reads: { "error.code": "invalid_parameter", "error.param": "locale" },
    }),
  ),
]
