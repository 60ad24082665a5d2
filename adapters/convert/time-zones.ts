/** Which time zones does a country have, by the runtime's own data, and which day is it in one of them? */
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-CA", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" })
    formats.set(zone, format)
  }
  return format
}

/** Says whether a text is a time zone that the runtime knows. */
export function isZone(zone: string): boolean {
  try {
    formatOf(zone)
    return true
  } catch {
    return false
  }
}

/** The calendar day of an instant in a time zone. */
export function dayIn(zone: string, instantMs: number): string {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(instantMs)
      .map(({ type, value }) => [type, value]),
  )
  return `${parts.year}-${parts.month}-${parts.day}`
}

/** The calendar day of an instant in some time zones; null where it is not one day in all of them, or there are none. */
export function dayInAll(zones: readonly string[], instantMs: number): string | null {
  const [first, ...others] = new Set(zones.map(zone => dayIn(zone, instantMs)))
  return first === undefined || others.length > 0 ? null : first
}

/** The name that the runtime prefers for a zone. */
export const canonical = (zone: string): string => formatOf(zone).resolvedOptions().timeZone

/** The time zones of a country, by its two letters; none where the runtime knows none. */
export function zonesOf(alpha2: string): readonly string[] {
  const known = zonesByCountry.get(alpha2) ?? listZones(alpha2)
  zonesByCountry.set(alpha2, known)
  return known
}

/** The runtime looks for as long as a whole conversion takes. */
const zonesByCountry = new Map<string, readonly string[]>()

function listZones(alpha2: string): readonly string[] {
  const locale = new Intl.Locale(`und-${alpha2}`) as Intl.Locale & {
    readonly getTimeZones?: () => readonly string[] | undefined
    readonly timeZones?: readonly string[]
  }
  return locale.getTimeZones?.() ?? locale.timeZones ?? []
}
