/** The purposes of a journey that the page offers, the usual one first. */
export const PURPOSES = ["tourism", "business", "family", "transit"] as const
/** One of {@link PURPOSES}. */
export type Purpose = (typeof PURPOSES)[number]
