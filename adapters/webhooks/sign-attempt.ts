/**
 * Which signature headers does an attempt get?
 *
 * Every attempt is signed again, with every secret that is valid at that moment. A sealed secret is opened once and remembered
 * for as long as its row holds the same text; a changed one is opened again.
 */
import { signDelivery } from "../../src/engine.ts"
import type { DeploymentSecret } from "../secrets/deployment-secret.ts"
import type { ClaimedDelivery } from "../storage/deliveries-repository.ts"
import type { WebhookRow } from "../storage/webhooks-repository.ts"
import { makeSecretBox } from "./webhooks.ts"

/** How many subscriptions' secrets are remembered. */
const MAXIMUM_OPENED = 10_000

interface Opened {
  readonly sealed: string
  readonly text: string
}

/** The headers, or why there are none. */
export type SignedAttempt = { readonly headers: Readonly<Record<string, string>> } | { readonly error: string }

/** Makes a signer of attempts. */
export const makeAttemptSigner = (secret: DeploymentSecret["Service"]) => {
  const box = makeSecretBox(secret)
  const remember = () => {
    const opened = new Map<number, Opened>()
    return (id: number, sealed: string): string => {
      const known = opened.get(id)
      if (known?.sealed === sealed) return known.text
      if (opened.size >= MAXIMUM_OPENED) opened.clear()
      const text = box.open(id, sealed)
      opened.set(id, { sealed, text })
      return text
    }
  }
  const [openNew, openOld] = [remember(), remember()]

  return (
    { event_id, body }: Pick<ClaimedDelivery, "event_id" | "body">,
    webhook: WebhookRow,
    nowMs: number,
  ): SignedAttempt => {
    const { id, sealed_secret, sealed_old_secret, old_secret_until } = webhook
    const secrets: string[] = []
    try {
      secrets.push(openNew(id, sealed_secret))
      if (sealed_old_secret !== null && nowMs < old_secret_until) secrets.push(openOld(id, sealed_old_secret))
    } catch {
      return { error: "the secret of the subscription does not open" }
    }
    const timestampSeconds = Math.floor(nowMs / 1_000)
    const signed = signDelivery({ id: event_id, timestampSeconds, body, secrets })
    return signed.ok ? { headers: { ...signed.value, "user-agent": "landfall" } } : { error: signed.error.message }
  }
}
