/**
 * Which request results from applying a remedy? The search for remedies applies them with this function, so a program
 * makes exactly the change that was tried.
 */
import { type EpochDay, FIRST_DAY, formatCivilDate, isEpochDay, LAST_DAY, parseCivilDate } from "../civil-date.ts"
import { addCivilMonths } from "../civil-months.ts"
import { isPlainObject } from "../fields/plain-object.ts"
import type { Remedy } from "./answer-fields.ts"
import type { ItineraryRequest } from "./request-fields.ts"

/** The assumed validity of a renewed passport. */
const RENEWED_MONTHS = 120

/**
 * Returns the request with a remedy applied. Cannot fail: a remedy that does not fit the request, such as one for a
 * stop or a passport that it does not have, leaves it unchanged.
 *
 * @example
 * ```ts
 * const stops = [{ destination: "FRA", from: "2026-12-01", to: "2026-12-20" }]
 * applyRemedy({ passport: "USA", stops }, { action: "leave_by", step: 0, value: "2026-12-10" })?.stops[0].to // => "2026-12-10"
 * ```
 */
export function applyRemedy(request: ItineraryRequest, remedy: Remedy): ItineraryRequest {
  try {
    return apply(request, remedy)
  } catch {
    // Only a getter or a proxy of the caller can throw.
    return request
  }
}

function apply(request: ItineraryRequest, remedy: Remedy): ItineraryRequest {
  if (!isPlainObject(remedy) || !isPlainObject(request)) return request
  const { held, transit } = request as ItineraryRequest
  switch (remedy.action) {
    case "obtain":
      return { ...request, held: [...(Array.isArray(held) ? held : []), remedy.value] }
    case "avoid_transit":
      return Array.isArray(transit)
        ? { ...request, transit: transit.filter(each => codeOf(each) !== remedy.value) }
        : request
    default:
      return applyAtStop(request, remedy)
  }
}

function codeOf(transit: unknown): unknown {
  return isPlainObject(transit) ? transit.country : transit
}

function applyAtStop(
  request: ItineraryRequest,
  remedy: Exclude<Remedy, { readonly action: "obtain" | "avoid_transit" }>,
): ItineraryRequest {
  const { stops } = request
  const { step } = remedy
  const stop = Array.isArray(stops) ? (stops[step] as unknown) : null
  if (!isPlainObject(stop)) return request
  const changeStop = (change: object) => ({
    ...request,
    stops: stops.map((each, index) => (index === step ? { ...each, ...change } : each)),
  })
  switch (remedy.action) {
    case "leave_by":
      return changeStop({ to: remedy.value })
    case "shorten": {
      const to = moveDate(stop.from, remedy.value - 1)
      return to === null ? request : changeStop({ to })
    }
    case "use_passport":
      return changeStop({ passport: remedy.value })
    case "enter_from":
      return enterFrom(request, step, remedy.value)
    case "renew_before":
      return renew(request, remedy, parseCivilDate(remedy.value))
    default:
      return request
  }
}

function moveDate(date: unknown, days: number): string | null {
  const day = parseCivilDate(date)
  return day === null || !isEpochDay(day + days) ? null : formatCivilDate(day + days)
}

// Moves a stop and everything after it by the same number of days.
function enterFrom(request: ItineraryRequest, step: number, from: string): ItineraryRequest {
  const [day, firstDay] = [parseCivilDate(from), parseCivilDate(request.stops[step]?.from)]
  if (day === null || firstDay === null) return request
  const stops: ItineraryRequest["stops"][number][] = []
  for (const [index, stop] of request.stops.entries()) {
    if (index < step) {
      stops.push(stop)
      continue
    }
    if (!isPlainObject(stop)) return request
    const [movedFrom, movedTo] = [stop.from, stop.to].map(date => moveDate(date, day - firstDay))
    // The last stop may have no last day.
    if (movedFrom == null || (movedTo == null && stop.to != null)) return request
    stops.push({ ...stop, from: movedFrom, ...(movedTo == null ? {} : { to: movedTo }) })
  }
  return { ...request, stops }
}

function renew(
  request: ItineraryRequest,
  { passport, passportKind }: Extract<Remedy, { readonly action: "renew_before" }>,
  beforeDay: EpochDay | null,
): ItineraryRequest {
  if (beforeDay === null || beforeDay === FIRST_DAY) return request
  const dates = {
    passportIssued: formatCivilDate(beforeDay - 1),
    passportExpiry: formatCivilDate(Math.min(LAST_DAY, addCivilMonths(beforeDay, RENEWED_MONTHS) - 2)),
  }
  if (request.passports == null) return request.passport === passport ? { ...request, ...dates } : request
  if (!Array.isArray(request.passports)) return request
  const passports = request.passports.map(held => {
    const given = typeof held === "string" ? { passport: held } : held
    const isMeant = given?.passport === passport && (given.passportKind ?? "ordinary") === (passportKind ?? "ordinary")
    return isMeant ? { ...given, ...dates } : held
  })
  return { ...request, passports }
}
