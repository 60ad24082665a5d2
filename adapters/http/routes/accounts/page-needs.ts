/** Which services does the page of an account use? The page itself is loaded on first use; these are declared before. */
import { Accounts } from "../../../accounts/accounts.ts"
import { Sessions } from "../../../accounts/sessions.ts"
import { Signup } from "../../../accounts/signup.ts"
import { Affiliates } from "../../../billing/affiliates.ts"
import { Billing } from "../../../billing/billing.ts"
import { Targets } from "../../../events/followers/target-guard.ts"
import { Plans } from "../../../plans/plans.ts"
import { Meter } from "../../../quota/meter.ts"
import { Storage } from "../../../storage/storage.ts"
import { Webhooks } from "../../../webhooks/webhooks.ts"
import { Clients } from "../../pipeline/client-address.ts"
import type { ContextOf } from "../../pipeline/endpoint.ts"
import { MountedSite } from "../../pipeline/mounted-site.ts"

/** What the page shows: an account, its keys, use, webhooks and plan. */
export const PAGE_NEEDS = {
  accounts: Accounts,
  billing: Billing,
  meter: Meter,
  plans: Plans,
  sessions: Sessions,
  site: MountedSite,
  storage: Storage,
  webhooks: Webhooks,
} as const

/** Further services that its forms use. */
export const FORM_NEEDS = {
  ...PAGE_NEEDS,
  affiliates: Affiliates,
  clients: Clients,
  signup: Signup,
  targets: Targets,
} as const

export type PageContext = ContextOf<typeof PAGE_NEEDS>
export type FormContext = ContextOf<typeof FORM_NEEDS>
