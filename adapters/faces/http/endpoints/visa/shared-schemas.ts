/** What several bodies of the visa service are made of. */
import { Schema } from "effect"
import { REQUIREMENTS } from "../../../../../src/engine.ts"

export const RequirementValue = Schema.Literals(REQUIREMENTS).annotate({ identifier: "Requirement" })

export const Texts = Schema.Array(Schema.String)

export const Meta = Schema.Struct({
  lang: Schema.String,
  api_version: Schema.String,
  dataset_version: Schema.String,
  coverage: Schema.String,
  languages: Schema.Int,
  facts_version: Schema.optionalKey(Schema.String).annotate({
    description: "The dataset of a record's facts, where it differs from that of its pairs.",
  }),
  facts_as_of: Schema.optionalKey(Schema.String),
}).annotate({ identifier: "Meta", description: "Which interface and which data." })
