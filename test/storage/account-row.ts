import type { AccountRow } from "../../adapters/storage/accounts-repository.ts"

/** A confirmed account on the plan `business`, with anything else about it. */
export const makeAccount = (id: number, given: Partial<Omit<AccountRow, "id" | "language">> = {}) => {
  const email = given.email ?? `${id}@example.org`
  return {
    id,
    name: "Ana",
    plan: "business" as const,
    is_confirmed: true,
    is_disabled: false,
    api_version: null,
    created_at: "2026-11-21T00:00:00Z",
    ...given,
    email,
    email_folded: email,
  }
}
