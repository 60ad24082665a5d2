/**
 * What does an answer cost, and who pays?
 *
 * A charge is reserved before the record is looked for and counted only for a 2xx answer. Nothing here waits: between the
 * reservation and its end there is no other request.
 */
import type { Caller } from "../accounts/account.ts"
import type { Refusal, Reservation } from "../metering/ledger.ts"
import { quotaHeaders, refusalHeaders } from "../metering/quota-headers.ts"
import { type Answer, addHeaders, answerError, isSuccess } from "./answer.ts"

function describeRefusal({ reason, limit, destinationsCap }: Refusal): string {
  switch (reason) {
    case "monthly":
      return `The monthly quota of ${limit} requests does not cover this request.`
    case "unconfirmed":
      return `The ${limit} requests of an account whose e-mail address is not confirmed are spent: confirm the address.`
    case "anti_abuse":
      return `More than ${destinationsCap} destinations for one passport on one day are not answered on this plan.`
  }
}

const lowerCaseNames = (headers: readonly string[]): string[] =>
  headers.map((text, at) => (at % 2 === 0 ? text.toLowerCase() : text))

/** Says 429 for a charge that was refused. */
export function answerRefusal(refusal: Refusal, caller: Caller, nowMs: number): Answer {
  const headers = lowerCaseNames(refusalHeaders(refusal, caller.plan.id, nowMs))
  return answerError(429, describeRefusal(refusal), headers)
}

/** Answers under a reservation, and ends it: counted for a 2xx answer, given back for any other. */
export function answerReserved<Given extends Answer & { readonly charge?: number }>(
  reservation: Reservation,
  caller: Caller,
  nowMs: number,
  answer: () => Given,
): Given {
  try {
    const given = answer()
    if (isSuccess(given)) reservation.commit(given.charge)
    reservation.release()
    return addHeaders(given, lowerCaseNames(quotaHeaders(reservation, caller.plan.id, nowMs)))
  } finally {
    // After a defect; otherwise it is ended already and this does nothing.
    reservation.release()
  }
}

/** The headers of an answer that cost nothing. */
export const listQuotaHeaders = (...quota: Parameters<typeof quotaHeaders>): string[] =>
  lowerCaseNames(quotaHeaders(...quota))
