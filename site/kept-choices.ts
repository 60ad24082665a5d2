/** What does the browser keep of a reader's choices? The language and the colours; nothing of passports or journeys. */

/** The stored choices, by name. */
export type KeptName = "language" | "theme"

const OLD_STAYS = "landfall-stays"

/** Returns a stored choice; null if there is none, or if the browser stores nothing. */
export function keptChoice(name: KeptName): string | null {
  try {
    return localStorage.getItem(`landfall-${name}`)
  } catch {
    return null
  }
}

/** Keeps a choice, where the browser lets it. */
export function keepChoice(name: KeptName, value: string): void {
  try {
    localStorage.setItem(`landfall-${name}`, value)
  } catch {
    // A browser that keeps nothing asks again next time.
  }
}

/** Reads the stays that the counter of an earlier version of the page kept: a line each, with their two days. */
export function readOldStays(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(OLD_STAYS) ?? "[]")
    return Array.isArray(kept) ? kept.map(stay => `${stay?.from ?? ""} ${stay?.to ?? ""}`.slice(0, 30)) : []
  } catch {
    return []
  }
}

/** Keeps those stays no longer. */
export function dropOldStays(): void {
  try {
    localStorage.removeItem(OLD_STAYS)
  } catch {
    // A browser that keeps nothing has none.
  }
}
