/** The parameters that several endpoints of the visa service take. */

import { parseCivilDate, REQUIREMENTS, type Requirement } from "../../../../src/engine.ts"
import { isLanguage, LANGUAGES, type Language } from "../../../../src/full.ts"
import { choice, list, optional, type Parameter, pattern } from "../../pipeline/parameters.ts"

/** The code of a country; the description says what the country is of. */
export const code = (description: string, example: string): Parameter<string> => ({
  ...pattern("an ISO 3166-1 alpha-3 code in capital letters, such as FRA", /^[A-Z]{3}$/, { description, example }),
  isCode: true,
})

export const passport = code("The country that issued the passport.", "FRA")
export const destination = code("The country or territory to enter.", "JPN")

/** The day to answer for. */
export const on: Parameter<string | undefined> = optional({
  expected: "a calendar date YYYY-MM-DD from 1900 to 2199",
  isRequired: true,
  document: {
    type: "string",
    pattern: "^\\d{4}-\\d{2}-\\d{2}$",
    description:
      "The day of the answer, YYYY-MM-DD; today by default. Answers for past days come from dated tables and are not verified.",
    example: "2023-06-01",
  },
  read: text => (parseCivilDate(text) === null ? undefined : text),
})

/** The language of sentences, names and headings; English when absent. */
export const lang: Parameter<Language | undefined> = optional({
  ...choice(LANGUAGES, { description: "The language of the answer.", example: "fr", default: "en" }),
  read: text => (isLanguage(text) ? text : undefined),
})

export const passports: Parameter<readonly string[]> = {
  ...list("2 to 10 distinct ISO 3166-1 alpha-3 codes, separated by commas", /^[A-Z]{3}(,[A-Z]{3}){1,9}$/, {
    description: "The passports of the group: 2 to 10 distinct codes, separated by commas.",
    example: "FRA,IND",
    isDistinct: true,
  }),
  isCode: true,
}

/** A list of destinations, at most 25. */
export const destinations: Parameter<readonly string[] | undefined> = optional({
  ...list("at most 25 ISO 3166-1 alpha-3 codes, separated by commas", /^[A-Z]{3}(,[A-Z]{3}){0,24}$/, {
    description: "At most 25 codes, separated by commas; every destination by default.",
    example: "JPN,DEU,THA",
  }),
  isCode: true,
})

export const allow = optional(
  list<Requirement>(
    `requirements out of ${REQUIREMENTS.join(", ")}, separated by commas`,
    new RegExp(`^(${REQUIREMENTS.join("|")})(,(${REQUIREMENTS.join("|")}))*$`),
    {
      description: "The requirements that qualify, separated by commas.",
      example: "visa_free,eta",
      default: "visa_free,eta,visa_on_arrival,e_visa",
    },
  ),
)
