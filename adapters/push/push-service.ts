/**
 * What do push services have in common?
 *
 * Apple's and Google's have only this in common: a message is sent to one token, with one of five outcomes. A service's own words are
 * shortened and never contain a token or a key.
 */

import type { Effect } from "effect"
import type { Platform } from "../storage/devices-repository.ts"
import { type Fields, readJsonFields } from "../validation/fields.ts"

/** The text on a device. */
export interface PushMessage {
  readonly title: string
  readonly body: string
  /** The data for an app: text by name. */
  readonly data: Readonly<Record<"event_id" | "type" | "passport" | "destination" | "effective_from", string>>
  /** A newer push of the same pair replaces an older one. */
  readonly pair: string
  readonly isUrgent: boolean
  /** After that it need not be shown any more (epoch milliseconds). */
  readonly expiresMs: number
}

export type PushOutcome =
  | { readonly kind: "sent" }
  /** The token is no longer valid; if the service says since when, a device that was registered later stays. */
  | { readonly kind: "gone"; readonly sinceMs: number | null }
  /** It will never be accepted. */
  | { readonly kind: "rejected"; readonly reason: string }
  /** Not now. `isWhole`: the service accepts nothing for that long; otherwise only this device is concerned. */
  | { readonly kind: "later"; readonly reason: string; readonly afterMs: number | null; readonly isWhole: boolean }

export interface ServiceReply {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly text: string
}

export interface PushService {
  readonly platform: Platform
  /** Sends a message to a token; never fails. */
  readonly send: (token: string, message: PushMessage) => Effect.Effect<PushOutcome>
}

/** How long a service has to answer. */
export const PUSH_TIMEOUT_MS = 10_000

export const later = (reason: string, rest: { readonly afterMs?: number | null; readonly isWhole?: boolean } = {}) =>
  ({ kind: "later", reason, afterMs: rest.afterMs ?? null, isWhole: rest.isWhole ?? false }) satisfies PushOutcome

/** Reads a body that may not be JSON. */
export const readJson = (text: string): Fields => readJsonFields(text) ?? {}

/** A service's word for a reason, made safe for a log. */
export const nameReason = (reason: unknown, status: number): string =>
  typeof reason === "string" && /^[A-Za-z_]{1,60}$/.test(reason) ? `${status} ${reason}` : `answered ${status}`
