import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { basename } from "node:path"
import { describe, expect, it } from "vitest"

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" })
  .trim()
  .split("\n")
const sources = files.filter(file => /^(src|adapters|bench|test|examples)\/.*\.ts$/.test(file))

describe("the tree is tidy", () => {
  it("gives every source file a descriptive name", () => {
    const vague = /^(utils?|helpers?|common|misc|types|shared|lib)\.ts$/
    expect(sources.filter(file => vague.test(basename(file)))).toEqual([])
    expect(sources.filter(file => !/^[a-z0-9-]+(\.test|\.bench|\.config|\.d)?\.ts$/.test(basename(file)))).toEqual([])
  })

  it("gives no two files of the adapters one name, and none the name of a file of the core", () => {
    const names = Map.groupBy(
      files.filter(file => /^(src|adapters)\/.*\.ts$/.test(file)),
      file => basename(file),
    )
    const twice = [...names.values()].filter(same => same.length > 1 && same.some(file => file.startsWith("adapters/")))
    expect(twice).toEqual([])
  })

  it("opens every file of the core and the adapters with its purpose", () => {
    const silent = sources
      .filter(file => /^(src|adapters)\//.test(file))
      .filter(file => !/^(#!.*\n)?\/\*\*[\s\S]{40,}?\*\//.test(readFileSync(file, "utf8")))
    expect(silent).toEqual([])
  })

  it("uses the terms of the field, and no metaphors", () => {
    const metaphors =
      /\b(Record|Change|Terms)?Books?\b|\b(record|change)Books?\b|\b[sS]tandings?[A-Z(]|\bopenPen\b|house style/
    // "17 is no calendar date" is not how anybody says it.
    const mannered =
      /(?<![Tt]here )\b(is|are) (none of|no (JSON|CSV|ISO|calendar date|whole number|requirement\b|object\b|array\b|id of|fixed number))/
    const pages = files.filter(file => /^(README|CHANGELOG|docs\/.+)\.md$/.test(file))
    const offenders = [...sources, ...pages].filter(
      file =>
        /^(src|adapters|README|CHANGELOG|docs)/.test(file) &&
        [metaphors, mannered].some(words => words.test(readFileSync(file, "utf8"))),
    )
    expect(offenders).toEqual([])
  })

  it("has no TODO and no skipped test", () => {
    const unfinished =
      /\b(TODO|FIXME|XXX)\b|\b(it|describe|test)\.(skip|todo|only)\b|@ts-(ignore|expect-error)|\bas any\b|: any\b/
    const offenders = sources.filter(
      file => file !== "test/architecture/tidy.test.ts" && unfinished.test(readFileSync(file, "utf8")),
    )
    expect(offenders).toEqual([])
  })

  it("commits no generated file", () => {
    expect(files.filter(file => /\.generated\.|^dist\/|node_modules|\.db$|\.secret$/.test(file))).toEqual([])
  })
})
