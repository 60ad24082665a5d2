/**
 * What older programs refuse: a part of a file whose shape has changed. Such a change is a new format version, or optional by construction.
 * If this test fails, raise FORMAT_VERSION and the numbers of SHAPED_SINCE in adapters/events/install-dataset.ts for the parts that changed, or give
 * what is new a section of its own. While nothing of this version is released, `npx vitest run test/dataset/shapes.test.ts -u` is enough.
 */
import { expect, it } from "vitest"
import { compileFacts, schemaOf } from "../../src/compiler.ts"
import { FORMAT_VERSION } from "../../src/dataset/open.ts"
import { FACT_KINDS } from "../../src/record/fact-fields.ts"
import { PROVISION_KINDS, writeFields } from "../../src/rules/provision-kinds.ts"
import { smallFacts } from "./small-facts.ts"

it("the shape of every part of a dataset file is the one of its format version", async () => {
  const compiled = compileFacts(smallFacts())
  if (!compiled.ok) throw new Error(compiled.error.message)
  const { header, terms } = compiled.value
  const lines = [
    `header: ${Object.keys(header).sort().join(" ")}`,
    `terms: ${Object.keys(terms ?? {})
      .sort()
      .join(" ")}`,
    ...PROVISION_KINDS.map(kind => `provision ${kind}: ${writeFields(kind)}`),
    ...Object.entries(FACT_KINDS).map(([subject, value]) => `fact ${subject}: ${JSON.stringify(schemaOf(value))}`),
  ]
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(`shapes-of-format-${FORMAT_VERSION}.txt`)
})
