/**
 * What does the form of a body show at first?
 *
 * One example for each row that takes a body, by the row's name. They are in the OpenAPI document, and the tests check them against its
 * schemas.
 */
import { DECISION_EXAMPLE } from "../../answers/decision.ts"

const EMAIL = "ada@example.com"
const AFFILIATE = "aff_0123abcd"

export const BODY_EXAMPLES: Readonly<Record<string, unknown>> = {
  decision: DECISION_EXAMPLE,
  createJob: `${JSON.stringify({ id: "trip-1", ...DECISION_EXAMPLE })}\n`,
  registerDevice: {
    device_token: "740f4707bebcf74f9b7c25d48e3358945f6aa01da5ddb387462c7eaf61bb78ad",
    platform: "apns",
    passports: ["FRA"],
    destinations: ["JPN"],
    lang: "fr",
  },
  updateDevice: { passports: ["FRA", "IND"], lang: "en" },
  createWebhook: {
    url: "https://example.com/landfall",
    filter: { passports: ["FRA"], destinations: ["JPN", "CHN"], severity: "major" },
  },
  createSubscription: { url: "https://example.com/landfall", passports: ["FRA"], destinations: ["JPN", "CHN"] },
  simulateChange: { passport: "FRA", destination: "JPN", requirement: "visa_required" },
  register: { name: "Ada", email: EMAIL },
  login: { email: EMAIL },
  confirm: { token: "the-token-of-the-link" },
  regenerateKey: { end_team_keys: false },
  changeAccount: { lang: "fr" },
  eraseAccount: { email: EMAIL },
  createKey: { name: "Website", scopes: ["visa"], allowed_addresses: ["203.0.113.0/24"] },
  createTeamKey: { name: "Website" },
  checkout: { plan: "pro", billing: "monthly" },
  stripeWebhook: { id: "evt_1", type: "checkout.session.completed" },
  registerAffiliate: { name: "Ada", email: EMAIL },
  trackClick: { affiliate_id: AFFILIATE },
  applyReferral: { referral_code: AFFILIATE, email: EMAIL },
}
