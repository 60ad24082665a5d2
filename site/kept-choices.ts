/** What does the browser keep of a reader's choices? The language and the colours; nothing of passports or journeys. */

/** The stored choices, by name. */
type KeptName = "language" | "theme"

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
