/** What the receiver of the soak answers to which delivery: the same at every run with one seed, whoever sends it and when. */

/** How the receiver treats a request. */
export type Treatment = "accept" | "refuse" | "ask to wait" | "hang" | "reset"

/** What it asks for when it asks to wait, in seconds. */
export const ASKED_SECONDS = 120

/** A number from 0 to 1 that belongs to a text (FNV-1a, mixed once more). */
function drawFor(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32
}

/** How the receiver treats the so-manieth request (from 1) of a delivery; what it has accepted it accepts again. */
export function planTreatment(
  seed: number,
  delivery: {
    readonly path: string
    readonly eventId: string
    readonly request: number
    readonly wasAccepted: boolean
  },
): Treatment {
  const { path, eventId, request, wasAccepted } = delivery
  if (wasAccepted) return "accept"
  const draw = drawFor(`${seed} ${path} ${eventId} ${request}`)
  // One in a hundred never succeeds.
  if (drawFor(`${seed} ${path} ${eventId}`) < 0.01) return draw < 0.9 ? "refuse" : "reset"
  if (draw < 0.7) return "accept"
  if (draw < 0.85) return "refuse"
  if (draw < 0.9) return "ask to wait"
  return draw < 0.93 ? "hang" : "reset"
}
