/** Which services does the page of an account use? The page itself is loaded on first use; these are declared before. */
import { Accounts } from "../../../../customers/accounts/accounts.ts"
import { Sessions } from "../../../../customers/accounts/sessions.ts"
import { Signup } from "../../../../customers/accounts/signup.ts"
import { Affiliates } from "../../../../customers/billing/affiliates.ts"
import { Billing } from "../../../../customers/billing/billing.ts"
import { Meter } from "../../../../customers/metering/meter.ts"
import { Plans } from "../../../../customers/plans/plans.ts"
import { Targets } from "../../../../delivery/followers/target-guard.ts"
import { Webhooks } from "../../../../delivery/webhooks/webhooks.ts"
import { Storage } from "../../../../platform/storage/storage.ts"
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
