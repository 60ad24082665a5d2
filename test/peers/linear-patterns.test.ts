import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { analyse } from "scslre"
import ts from "typescript-5.9"
import { afterEach, describe, expect, it, vi } from "vitest"

interface Found {
  readonly place: string
  readonly source: string
  readonly flags: string
}

const files = execFileSync(
  "git",
  ["ls-files", "--cached", "--others", "--exclude-standard", "src", "adapters", "site"],
  { encoding: "utf8" },
)
  .trim()
  .split("\n")
  .filter(file => /\.tsx?$/.test(file))

const parse = (file: string): ts.SourceFile =>
  ts.createSourceFile(
    file,
    readFileSync(file, "utf8"),
    ts.ScriptTarget.Latest,
    false,
    file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
  )

/** The patterns that are written in a file, and the number of those that it builds when it is loaded. */
function findPatterns(file: string): { readonly written: readonly Found[]; readonly built: number } {
  const parsed = parse(file)
  const written: Found[] = []
  let built = 0
  const walk = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/")
      const line = parsed.getLineAndCharacterOfPosition(node.getStart(parsed)).line + 1
      written.push({ place: `${file}:${line}`, source: node.text.slice(1, end), flags: node.text.slice(end + 1) })
    }
    const makes = ts.isNewExpression(node) || ts.isCallExpression(node)
    if (makes && ts.isIdentifier(node.expression) && node.expression.text === "RegExp") built++
    ts.forEachChild(node, walk)
  }
  walk(parsed)
  return { written, built }
}

const found = files.map(file => ({ file, ...findPatterns(file) }))

/** The ways in which a text that does not match costs more than its length. */
const listFaults = ({ source, flags }: Omit<Found, "place">): readonly string[] =>
  analyse({ source, flags }).reports.map(
    ({ exponential, character }) => `${exponential ? "exponential" : "polynomial"} in ${character.pick}`,
  )

const listFaulty = (patterns: readonly Found[]): readonly string[] =>
  patterns.flatMap(({ place, ...pattern }) =>
    listFaults(pattern).map(fault => `${place}: /${pattern.source}/${pattern.flags} is ${fault}`),
  )

describe("every regular expression of the sources", () => {
  afterEach(() => vi.unstubAllGlobals())

  it("is judged by a check that finds the patterns of known attacks", () => {
    expect(listFaults({ source: "^(\\s*(identity)?\\s*,?)*$", flags: "i" })[0]).toMatch(/^exponential/)
    expect(listFaults({ source: "\\s+$", flags: "" })).toEqual(["polynomial in  "])
    expect(listFaults({ source: "^bearer(?: +(.*))?$", flags: "i" })).toEqual(["polynomial in  "])
    expect(listFaults({ source: "^[a-z]+(,[a-z]+)*$", flags: "" })).toEqual([])
  })

  it("takes time in proportion to the text, where it is written", () => {
    const written = found.flatMap(each => each.written)
    expect(written.length).toBeGreaterThan(250)
    expect(listFaulty(written)).toEqual([])
  })

  it("takes time in proportion to the text, where a module builds it", async () => {
    const building = found.filter(({ built }) => built > 0)
    const made: Found[] = []
    vi.stubGlobal(
      "RegExp",
      new Proxy(RegExp, {
        construct(target, given, self) {
          const pattern = Reflect.construct(target, given, self) as RegExp
          const stack = new Error().stack ?? ""
          const place = building.find(({ file }) => stack.includes(file))?.file
          if (place !== undefined) made.push({ place, source: pattern.source, flags: pattern.flags })
          return pattern
        },
      }),
    )
    for (const { file } of building) await import(/* @vite-ignore */ `../../${file}?judged`)
    // One that is built later, from what a request sends, cannot be judged here.
    expect(building.filter(({ file, built }) => made.filter(({ place }) => place === file).length < built)).toEqual([])
    expect(listFaulty(made)).toEqual([])
  })
})
