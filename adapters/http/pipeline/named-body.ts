/** How is a body named in the reference? By the name of its type in generated clients, and by a sentence. */
import { Schema } from "effect"

export const makeBody = <const Fields extends Schema.Struct.Fields>(
  identifier: string,
  description: string,
  fields: Fields,
) => Schema.Struct(fields).annotate({ identifier, description })
