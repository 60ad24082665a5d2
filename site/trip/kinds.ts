/** Which kinds of passports are there, and whose passport is one of a class of British nationals? */
import { BRITISH_CLASSES, DECISION_REQUEST } from "landfall"

/** The kinds of passports and travel documents. */
export const KINDS = DECISION_REQUEST.fields.passports.is.of.fields.passportKind.is.words
/** One of {@link KINDS}; empty where nothing is said, which means an ordinary one. */
export type Kind = (typeof KINDS)[number] | ""

/** Reads a kind from an address; empty for an ordinary one and for any other text. */
export const readKind = (text: string | null): Kind => KINDS.find(kind => kind !== "ordinary" && kind === text) ?? ""

/** Whose passports the classes of British nationals have. */
export const BRITISH = "GBR"

/** The country whose passport it is, also where a class of nationals has a code of its own. */
export const holderOf = (passport: string): string => (BRITISH_CLASSES.includes(passport) ? BRITISH : passport)

/** Says whether the answers for ordinary passports do not apply to it. */
export const isOfOtherKind = (passport: string, kind: Kind): boolean => kind !== "" || holderOf(passport) !== passport
