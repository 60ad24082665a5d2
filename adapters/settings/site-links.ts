/** Which links do answers have? */

import type { PlanId } from "./feature-options.ts"

export interface Site {
  /** The address under which clients reach the service, without a slash at its end. */
  publicUrl: string
  contact: string
  /** Whether the page gets the dataset of the service. */
  pageSendsDataset: boolean
}

export const ACCOUNT_PATH = "/account"

/** The page on which owners of an account sign in. */
export const signInUrl = ({ publicUrl }: Pick<Site, "publicUrl">): string => `${publicUrl}${ACCOUNT_PATH}`

/** Where a stranger gets a key. */
export const signupUrl = (site: Pick<Site, "publicUrl">): string => `${signInUrl(site)}?register`

/** Where an account gets a better plan: one that is named, or any. */
export const upgradeUrl = (site: Pick<Site, "publicUrl">, plan: PlanId | null = null): string =>
  `${signInUrl(site)}?plan${plan === null ? "" : `=${plan}`}#plan`
