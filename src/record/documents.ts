/**
 * Which documents can a checklist name?
 *
 * The slugs are published: a destination's own list names its documents by them, and each has a sentence in every language.
 */

/** The slugs, in no order: a list has its own. */
export const DOCUMENTS = [
  "passport",
  "identity_card",
  "eta_approval",
  "e_visa_copy",
  "visa",
  "application_form",
  "photo",
  "purpose_of_journey",
  "accommodation",
  "means",
  "intention_to_leave",
  "passport_copy",
  "return_ticket",
  "itinerary",
  "employment",
  "residence",
  "invitation",
  "insurance",
  "yellow_fever_certificate",
  "mission_list",
] as const

/** One of {@link DOCUMENTS}. */
export type DocumentSlug = (typeof DOCUMENTS)[number]
