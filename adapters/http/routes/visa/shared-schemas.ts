/** Parts of several bodies of the visa service. */
import { Schema } from "effect"
import { REQUIREMENTS } from "../../../../src/engine.ts"
import { makeBody } from "../../pipeline/describe-row.ts"

export const RequirementValue = Schema.Literals(REQUIREMENTS).annotate({ identifier: "Requirement" })

export const Texts = Schema.Array(Schema.String)

export const Meta = makeBody("Meta", "The versions of the interface and of the data.", {
  lang: Schema.String,
  api_version: Schema.String,
  dataset_version: Schema.String,
  coverage: Schema.String,
  languages: Schema.Int,
  facts_version: Schema.optionalKey(Schema.String).annotate({
    description: "The dataset of a record's facts, if it is not that of its pairs.",
  }),
  facts_as_of: Schema.optionalKey(Schema.String),
})
