/**
 * Writes the files with which an editor completes and checks `data/`: a JSON Schema for each kind of file in `.vscode/schemas`, made from the schemas that read the files, and
 * `.vscode/settings.json`, which maps files to schemas.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { JsonSchema, Result, Schema } from "effect"
import { listDataFiles } from "../../adapters/data-files/data-files.ts"
import { readDataRecords } from "../../adapters/data-files/read-facts.ts"
import { PAST_WORDS, PROVISION_KINDS, PROVISIONS, schemaOf } from "../../src/compiler.ts"
import { REQUIREMENTS } from "../../src/index.ts"

const FOLDER = ".vscode"

/** Texts for which the readers accept only some values, by the names of their keys. */
const WORDS: Readonly<Record<string, readonly string[]>> = { requirement: REQUIREMENTS }

/** A value and its days, as claims and tables write them. */
const SAYS = `^(${[...new Set([...REQUIREMENTS, ...PAST_WORDS]), "not_said", "changed"].join("|")})( [1-9]\\d{0,3})?$`

type Json = Readonly<Record<string, unknown>>

/** Makes a schema as strict as the readers are: no other keys, no number that JSON cannot write, and known words. */
function tighten(value: unknown, key = ""): unknown {
  if (Array.isArray(value)) return value.map(item => tighten(item))
  if (typeof value !== "object" || value === null) return value
  const schema = value as Json
  const [first] = Array.isArray(schema.anyOf) ? schema.anyOf : []
  if (first?.type === "number" && JSON.stringify(schema.anyOf).includes("Infinity")) return { type: "number" }
  const inner = Object.fromEntries(
    Object.entries(schema).map(([name, held]) =>
      name === "properties"
        ? [name, Object.fromEntries(Object.entries(held as Json).map(([field, each]) => [field, tighten(each, field)]))]
        : [name, tighten(held)],
    ),
  )
  if (schema.type === "object" && schema.properties !== undefined) return { ...inner, additionalProperties: false }
  if (schema.type === "string" && key === "says") return { ...inner, pattern: SAYS }
  return schema.type === "string" && WORDS[key] !== undefined ? { ...inner, enum: WORDS[key] } : inner
}

const DECLARATIONS = readFileSync("src/rules/provision-kinds.ts", "utf8")

/** Reads what a kind of provision is, and what each of its fields says, by its name in the file: the comments on its declaration. */
function readComments(of: string): readonly [about: string, lines: Readonly<Record<string, string>>] {
  const [, about = "", block = ""] =
    DECLARATIONS.match(new RegExp(`/\\*\\* ([^\n]*) \\*/\n  ${of}: table\\("[^"]*", {\n([\\s\\S]*?)\n  }\\),`)) ?? []
  return [about, readBlock(block)]
}

function readBlock(block: string): Readonly<Record<string, string>> {
  const fields = [...block.matchAll(/\/\*\*([\s\S]*?)\*\/\s+(\w+)|\.\.\.(\w+)/g)]
  return Object.assign(
    {},
    ...fields.map(([, comment = "", field = "", inner]) =>
      inner === undefined
        ? { [snake(field)]: comment.replace(/\s*\n?\s*\*?\s+/g, " ").trim() }
        : readBlock(DECLARATIONS.split(`\nconst ${inner} = {\n`)[1]?.split("\n} as const")[0] ?? ""),
    ),
  )
}

const snake = (name: string) => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

/** A kind of file: its name, the files of this kind, and its schema. */
export interface EditorSchema {
  readonly name: string
  readonly files: string
  readonly schema: Json
}

export function listEditorSchemas(): readonly EditorSchema[] {
  const records = Result.getOrThrow(readDataRecords("data"))
  // Added claims are written by a command, and at times there are none.
  const edited = listDataFiles(records.files).filter(({ name }) => !name.startsWith("additions/"))
  const kinds = new Map(edited.map(file => [file.name.replace(/\/.*/, "/*.json"), file] as const))
  const $schema = JsonSchema.META_SCHEMA_URI_DRAFT_07
  return [...kinds].map(([files, { schema }]) => {
    const declared = [...PROVISION_KINDS, "zones" as const].find(
      of => files.replace("/*.json", "") === PROVISIONS[of].file,
    )
    if (declared !== undefined) {
      const [description, lines] = readComments(declared)
      const record = schemaOf(PROVISIONS[declared])
      const told = Object.entries(record.properties ?? {}).map(([key, each]) => [
        key,
        { ...each, description: lines[key] },
      ])
      const items = { ...record, properties: Object.fromEntries(told) }
      const own = declared === "zones" ? items : { type: "array", description, items }
      return { name: files.replace("/*", ""), files, schema: { $schema, ...own } }
    }
    const { schema: body, definitions } = JsonSchema.toDocumentDraft07(Schema.toJsonSchemaDocument(schema as never))
    return { name: files.replace("/*", ""), files, schema: tighten({ $schema, ...body, definitions }) as Json }
  })
}

export function writeEditorFiles(schemas: readonly EditorSchema[]): ReadonlyMap<string, string> {
  const settings = {
    "json.schemas": schemas.map(({ name, files }) => ({
      fileMatch: [`/data/${files}`],
      url: `./${FOLDER}/schemas/${name}`,
    })),
  }
  const write = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
  return new Map([
    [join(FOLDER, "settings.json"), write(settings)],
    ...schemas.map(({ name, schema }) => [join(FOLDER, "schemas", name), write(schema)] as const),
  ])
}

if (import.meta.main) {
  mkdirSync(join(FOLDER, "schemas"), { recursive: true })
  for (const [path, text] of writeEditorFiles(listEditorSchemas())) writeFileSync(path, text)
}
