/** The parameters of the lookup. Codes may be in any case and are answered in capital letters. */
import { PURPOSES } from "../../../answers/lookup-answer.ts"
import { choice, optional, type Parameter, whole } from "../../pipeline/parameters.ts"

/** The longest stay in a question, in days: ten years. */
const LONGEST_STAY = 3_650

const code = (description: string, example: string): Parameter<string> => ({
  expected: "an ISO 3166-1 alpha-3 code, such as FRA",
  isRequired: true,
  isCode: true,
  document: { type: "string", pattern: "^[A-Za-z]{3}$", description, example },
  read: text => (/^[A-Za-z]{3}$/.test(text) ? text.toUpperCase() : undefined),
})

export const passport = code("The traveller's nationality.", "FRA")
export const destination = code("The country or territory to enter.", "JPN")

export const purpose = optional(
  choice(PURPOSES, {
    description: "The purpose of the journey. Rules are recorded for tourism; for any other purpose `notes` says so.",
    example: "tourism",
    default: "tourism",
  }),
)

export const stayDays = optional(
  whole(1, LONGEST_STAY, {
    description:
      "The intended stay in days; if it is longer than the longest known stay, the answer is `visa_required`.",
    example: 30,
  }),
)

const TAG = /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/
const LONGEST_TAG = 35

export const locale: Parameter<string | undefined> = {
  expected: "a BCP 47 tag, such as pt-BR",
  isRequired: false,
  document: {
    type: "string",
    pattern: TAG.source,
    maxLength: LONGEST_TAG,
    description: "The language of sentences and names, a BCP 47 tag; English if it is not one of the fifteen.",
    example: "pt-BR",
    default: "en",
  },
  read: text => (text.length <= LONGEST_TAG && TAG.test(text) ? text : undefined),
}
