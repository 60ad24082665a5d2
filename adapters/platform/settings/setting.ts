/**
 * What is one variable of the environment?
 *
 * Its name, unit, default, meaning and what is allowed, and how its text is read. The tables of all of them are in `settings.ts` and
 * `account-settings.ts`.
 */

/** One variable of the environment. */
export interface Setting<Value> {
  readonly name: `LANDFALL_${string}`
  readonly unit: string
  readonly default: string
  readonly meaning: string
  readonly allowed: string
  readonly isSecret?: true
  /** Reads a text; undefined when it is not allowed. */
  readonly read: (text: string) => Value | undefined
}

/** Defines a variable. */
export const setting = <Value>(definition: Setting<Value>): Setting<Value> => definition

/** Any text. */
export const readAny = (text: string): string => text

/** An http or https URL without user and password, which answers would repeat. */
export function readHttpUrl(text: string): URL | undefined {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  // Every answer would repeat a password.
  return `${url.username}${url.password}${url.search}${url.hash}` === "" ? url : undefined
}

/** True or false. */
export function readFlag(text: string): boolean | undefined {
  return text === "true" ? true : text === "false" ? false : undefined
}
