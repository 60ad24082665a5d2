/**
 * What do push services have in common?
 *
 * Apple's and Google's have only this in common: a message is sent to one token, with one of five outcomes. A service's own words are
 * shortened and never contain a token or a key.
 */
import { Context, type Effect } from "effect"
import type { Locale, MessageKey } from "../../src/full.ts"
import { PUSH_LIFETIME_MS } from "../events/followers/fan-out.ts"
import { readStep } from "../events/installed-changes.ts"
import type { EventRow } from "../storage/datasets-repository.ts"
import type { Platform } from "../storage/tables.ts"
import { type Fields, readJsonFields } from "../validation/fields.ts"

// What does a device show for a change?
// The destination with the change of its rule, and for which passport, in the device's language: messages of the catalogues, and names of countries from the runtime. A name is alone
// before a colon, because most languages would inflect it in a sentence.

interface Terms {
  readonly fee?: { readonly amount: number; readonly currency: string } | null
}

/** Describes the change in one line. */
function sayChange({ say, label, formatValue, direction }: Locale, event: EventRow): string {
  const step = readStep(event)
  if (step === null) return say({ key: "push.details_changed" })
  const { from, to, daysBefore, daysAfter, data } = step
  const nameRequirement = (word: NonNullable<typeof from>) => say({ key: `requirement.${word}` satisfies MessageKey })
  if (to !== null && from !== to) {
    const arrow = direction === "rtl" ? "←" : "→"
    return from === null ? nameRequirement(to) : `${nameRequirement(from)} ${arrow} ${nameRequirement(to)}`
  }
  if (data.fields.includes("days") && daysBefore !== null && daysAfter !== null) {
    return say({ key: "history.days_changed", values: { before: { days: daysBefore }, after: { days: daysAfter } } })
  }
  const fee = (data.current as Terms | null)?.fee ?? null
  if (data.fields.includes("fee") && fee !== null) return label(say({ key: "label.fee" }), formatValue({ money: fee }))
  return say({ key: "push.details_changed" })
}

/** The message of an event: the text on a device. `createdMs`: since when it is waiting. */
export function writePushMessage(locale: Locale, event: EventRow, createdMs: number) {
  const { id, type, passport, destination, effective_from, severity } = event
  const title =
    type === "visa.policy_announced"
      ? locale.say({ key: "push.announced", values: { date: { on: effective_from } } })
      : locale.say({ key: "push.changed" })
  return {
    title: locale.label(locale.nameCountry(destination), title),
    body: locale.label(locale.nameCountry(passport), sayChange(locale, event)),
    /** The data for an app: text by name. */
    data: { event_id: id, type, passport, destination, effective_from },
    /** A newer push of the same pair replaces an older one. */
    pair: `visa-${passport}-${destination}`,
    isUrgent: severity === "major",
    /** After that it need not be shown any more (epoch milliseconds). */
    expiresMs: createdMs + PUSH_LIFETIME_MS,
  }
}

export type PushMessage = Readonly<ReturnType<typeof writePushMessage>>

// How did pushes end in this process? They are counted since its start, by platform and by the service's answer, for the metrics.

/** How often pushes ended in one way. */
export interface PushCount {
  /** Null where the device no longer existed. */
  readonly platform: Platform | null
  readonly outcome: PushOutcome["kind"]
  readonly count: number
}

/** By platform and outcome. */
export const PushCounts = Context.Reference<Map<string, PushCount>>("landfall/push/PushCounts", {
  defaultValue: () => new Map(),
})

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
