import { globSync, readFileSync } from "node:fs"
import { Ajv } from "ajv"
import { describe, expect, it } from "vitest"
import { listEditorSchemas, writeEditorFiles } from "../../docs/build/data-schemas.ts"

const schemas = listEditorSchemas()
const read = (path: string) => JSON.parse(readFileSync(path, "utf8"))

describe("the schemas that editors check data by", () => {
  it("are those that `npm run regenerate -- data-schemas` writes", () => {
    for (const [path, text] of writeEditorFiles(schemas)) expect(readFileSync(path, "utf8"), path).toBe(text)
  })

  it("accept every file, and each file has one", () => {
    const checks = new Ajv({ allErrors: false })
    for (const { files, schema } of schemas) {
      const check = checks.compile(schema)
      const paths = globSync(`data/${files}`)
      expect(paths.length, files).toBeGreaterThan(0)
      for (const path of paths) expect(check(read(path)) ? null : check.errors, path).toBeNull()
    }
  })

  it("refuse a misspelt key, an unknown requirement, and a missing key", () => {
    const claims = schemas.find(({ name }) => name === "claims.json")
    const check = new Ajv().compile(claims?.schema ?? {})
    const japan = read("data/claims/JPN.json")
    const [first, ...rest] = japan.claims
    expect(check({ ...japan, claimz: [] })).toBe(false)
    expect(check({ ...japan, claims: [{ ...first, says: "visa_fre 90" }, ...rest] })).toBe(false)
    expect(check({ ...japan, destination: undefined })).toBe(false)
    expect(check(japan)).toBe(true)
  })
})
