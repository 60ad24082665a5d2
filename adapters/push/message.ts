/**
 * What does a device show for a change?
 *
 * The destination with the change of its rule, and for which passport, in the device's language: messages of the catalogues, and names of countries from the runtime. A name is alone
 * before a colon, because most languages would inflect it in a sentence.
 */
import type { Locale, MessageKey } from "../../src/full.ts"
import { PUSH_LIFETIME_MS } from "../events/followers/pushes.ts"
import { readStep } from "../events/installed-changes.ts"
import type { EventRow } from "../storage/events-repository.ts"
import type { PushMessage } from "./push-service.ts"

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

/** The message of an event. `createdMs`: since when it is waiting. */
export function writePushMessage(locale: Locale, event: EventRow, createdMs: number): PushMessage {
  const { id, type, passport, destination, effective_from, severity } = event
  const title =
    type === "visa.policy_announced"
      ? locale.say({ key: "push.announced", values: { date: { on: effective_from } } })
      : locale.say({ key: "push.changed" })
  return {
    title: locale.label(locale.nameCountry(destination), title),
    body: locale.label(locale.nameCountry(passport), sayChange(locale, event)),
    data: { event_id: id, type, passport, destination, effective_from },
    pair: `visa-${passport}-${destination}`,
    isUrgent: severity === "major",
    expiresMs: createdMs + PUSH_LIFETIME_MS,
  }
}
