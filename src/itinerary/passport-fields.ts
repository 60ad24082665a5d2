/** Which fields does a passport have, and how does the reference describe them? */
import { PASSPORT_KINDS } from "../dataset/passport-kinds.ts"
import { describe } from "../errors.ts"
import { type Read, type Refusal, row, type Unsure } from "../fields/kinds.ts"
import { tellFields, type WordsOf } from "../fields/tell.ts"

const DAY = { kind: "day" } as const
const FLAG = { kind: "flag" } as const

/** A passport and its dates. */
export const PASSPORT = {
  passport: row("passport", { kind: "code" }, "required"),
  passportExpiry: row("passport_expiry", DAY, "nullable"),
  passportIssued: row("passport_issued", DAY, "nullable"),
  passportKind: row(
    "passport_kind",
    { kind: "word", words: PASSPORT_KINDS, refusal: `none of ${PASSPORT_KINDS.join(", ")}` },
    "nullable",
  ),
  passportBiometric: row("passport_biometric", FLAG, "nullable"),
  passportIdentityNumber: row("passport_identity_number", FLAG, "nullable"),
}

/** The descriptions in the reference. */
export const PASSPORT_WORDS: WordsOf<typeof PASSPORT> = {
  passport: ["The issuer of the passport, an ISO 3166-1 alpha-3 code.", "FRA"],
  passportExpiry: ["The last day on which the passport is valid.", "2027-03-01"],
  passportIssued: ["The day of issue.", "2017-03-02"],
  passportKind: ["The kind of passport or travel document; ordinary by default.", "diplomatic"],
  passportBiometric: ["Whether it has a chip with the holder's data. Unknown if it is left out.", true],
  passportIdentityNumber: [
    "Whether it has the holder's national identity number, which rules for Taiwan require. Unknown if it is left out.",
    true,
  ],
}

/** The fields with their descriptions, for an answer that repeats a passport. */
export const TOLD_PASSPORT = /* @__PURE__ */ tellFields("HeldPassport", PASSPORT, [PASSPORT_WORDS])

/** Lists the mistakes in the dates of a passport. */
export function refuseExpiry(read: Unsure<Read<typeof PASSPORT>>, refused: Refusal[] = []): readonly Refusal[] {
  const { passportExpiryDay, passportIssuedDay, passportIssued } = read
  if (passportExpiryDay !== null && passportIssuedDay !== null && passportIssuedDay > passportExpiryDay) {
    refused.push(["passportIssued", `${describe(passportIssued)} is after the day of expiry.`])
  }
  return refused
}
