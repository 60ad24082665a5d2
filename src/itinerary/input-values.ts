/**
 * How is one value of a question about a journey read?
 *
 * Each reader reports what it refuses by its path, and then gives a placeholder.
 */
import { codeKey, MALFORMED_KEY } from "../codes.ts"
import { describe, type InputIssue } from "../errors.ts"

/** Reports a value that is something else than is expected. */
export function refuse(issues: InputIssue[], path: string, value: unknown, what: string): void {
  issues.push({ path, message: `${describe(value)} is ${what}.` })
}

/** Reads the key of a code; a placeholder when it is refused. */
export function readKey(code: unknown, path: string, issues: InputIssue[]): number {
  const key = codeKey(code)
  if (key === MALFORMED_KEY) refuse(issues, path, code, "not an ISO 3166-1 alpha-3 code: three capital letters")
  return key
}

export const NO_DATE = "not a calendar date YYYY-MM-DD from 1900 to 2199"

/** Reads the length of a list; -1 when it is refused. */
export function readLength(value: unknown, least: number, most: number, path: string, issues: InputIssue[]): number {
  if (!Array.isArray(value)) {
    refuse(issues, path, value, "not an array")
    return -1
  }
  // As a number: a proxy's length may be anything, and another one each time that it is compared.
  const length = Number(value.length)
  if (length >= least && length <= most) return length
  issues.push({ path, message: `${least} to ${most} entries are expected, not ${length}.` })
  return -1
}
