/**
 * Which sentence reports a passport whose dates are not enough?
 *
 * The English sentence of `passport_validity_short` (reasons.ts).
 */

/** Why the dates are not enough: the expiry by a rule in months and days, or the issue by a rule in years. */
type ValidityShort = { readonly passport: string; readonly destination: string } & (
  | {
      readonly expiry: string
      readonly anchor: string
      readonly months: number
      readonly days: number
      /** The permitted days, if they matter; null if they are not known. */
      readonly stayDays?: number | null
    }
  | { readonly issued: string; readonly years: number; readonly expiry: string | null }
)

export function sayValidityShort(said: ValidityShort): string {
  const { passport, destination } = said
  if ("issued" in said) {
    return `The ${passport} passport was issued on ${said.issued}: ${destination} asks for less than ${said.years} years before the arrival.`
  }
  const { expiry, anchor, months, days } = said
  const count = (number: number, unit: string) => (number === 1 ? `1 ${unit}` : `${number} ${unit}s`)
  const span = [months && count(months, "month"), days && count(days, "day")].filter(Boolean).join(" and ")
  const stay = said.stayDays == null ? "" : ` of ${said.stayDays} days`
  const from = anchor === "permitted_stay" ? `the end of the permitted stay${stay}` : anchor
  const asked = span === "" ? `until ${from}` : `for ${span} after ${from}`
  return `The ${passport} passport expires on ${expiry}: ${destination} asks that it be valid ${asked}.`
}
