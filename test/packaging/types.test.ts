import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import ts from "typescript"
import { beforeAll, describe, expect, inject, it } from "vitest"
import { PEER_MODULES } from "../../peers/install.ts"
import { IS_WHOLE } from "../sample.ts"

const app = inject("app")
const folder = join(app, "types")

/** Uses every entry; what has to be refused stands in lines of its own, each marked. */
const PROGRAM = `import { lookup, embeddedDataset, decide, type LookupAnswer, type Dataset } from "landfall"
import { openDataset, signDelivery, type Result, type DatasetError } from "landfall/engine"
import { compileFacts, encodeDataset, type Facts } from "landfall/compiler"
import { assembleFullRecord, loadLocalisedFacts, type Language } from "landfall/full"
import { createFetchService, createListener, type FetchService } from "landfall/http"
import { createEdgeHandler, edgeRecords } from "landfall/edge"
import { LookupError, makeLookupClient } from "landfall/client"

const answer: LookupAnswer = lookup("FRA", "JPN", { on: "2026-12-24" })
export const text: string = answer.kind === "found" ? answer.requirement : answer.message
export const opened: Result<Dataset, DatasetError> = openDataset(new Uint8Array())
export const blocked: boolean = decide(embeddedDataset(), { passport: "FRA", stops: [] }).ok
export const compile = (facts: Facts): Uint8Array | null => {
  const compiled = compileFacts(facts)
  return compiled.ok ? encodeDataset(compiled.value) : null
}
export const record = async (language: Language) => assembleFullRecord(await loadLocalisedFacts(embeddedDataset(), language), "FRA", "JPN")
export const service: Promise<FetchService> = createFetchService({ databaseUrl: "file:landfall.db", port: 1 })
export const listener = createListener().then(mounted => mounted.listener)
export const edge = createEdgeHandler({
  publicUrl: "https://visa.example",
  allow: request => (request.header("x-key") === "a" ? { plan: "pro" } : { status: 401, body: null }),
  records: edgeRecords("en", dataset => loadLocalisedFacts(dataset, "en")),
})
export const client = makeLookupClient({ baseUrl: "https://visa.example", apiKey: "k" })
export const isLate = (error: unknown): boolean => error instanceof LookupError && error.status === null
export const sign = signDelivery
export const wrongKind: "found" = lookup("FRA", "JPN").kind // refused
export const wrongLanguage = record("xx") // refused
export const wrongPort = createFetchService({ port: "1" }) // refused
export const wrongRecords = createEdgeHandler({ publicUrl: "", allow: () => 1 }) // refused
`

/** What knows nothing of the web: the engine has to do with the language alone. */
const ENGINE_PROGRAM = `import { lookup } from "landfall"
import { openDataset } from "landfall/engine"
import { compileFacts } from "landfall/compiler"
import { loadLocalisedFacts } from "landfall/full"
export const used = [lookup, openDataset, compileFacts, loadLocalisedFacts]
`

/** A CommonJS program: TypeScript checks that it asks for entries which `require` finds. */
const REQUIRING_PROGRAM = `import { lookup } from "landfall"
import { openDataset } from "landfall/engine"
import { compileFacts } from "landfall/compiler"
import { embeddedHistory } from "landfall/history"
import { makeLookupClient } from "landfall/client"
export const used = [openDataset, compileFacts, embeddedHistory, makeLookupClient]
export const wrongKind: "found" = lookup("FRA", "JPN").kind // refused
`

beforeAll(() => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "requiring.cts"), REQUIRING_PROGRAM)
  writeFileSync(join(folder, "app.ts"), PROGRAM)
  writeFileSync(join(folder, "engine.ts"), ENGINE_PROGRAM)
})

const REFUSED = PROGRAM.split("\n").flatMap((line, at) => (line.endsWith("// refused") ? [at + 1] : []))
const RESOLUTIONS = [
  ["node16", "node16"],
  ["nodenext", "nodenext"],
  ["esnext", "bundler"],
] as const

function compile(
  compiler: string,
  files: readonly string[],
  lib: string,
  [module, resolution]: (typeof RESOLUTIONS)[number],
) {
  const options = `--noEmit --strict --exactOptionalPropertyTypes --skipLibCheck false --target es2022 --lib ${lib}`
  const given = [...options.split(" "), "--module", module, "--moduleResolution", resolution, ...files]
  const { stdout, stderr } = spawnSync(process.execPath, [compiler, ...given], {
    cwd: folder,
    encoding: "utf8",
  })
  return `${stdout}${stderr}`.split("\n").filter(line => line.includes("error"))
}

/** The newest in every run, and each night the oldest too. */
const COMPILERS = [
  ["7.0", resolve("node_modules/typescript/bin/tsc")],
  ...(IS_WHOLE ? [["5.4", join(PEER_MODULES, "typescript-5.4/bin/tsc")] as const] : []),
] as const

for (const [name, compiler] of COMPILERS) {
  describe(`the declarations, read by TypeScript ${name} with nothing else installed`, () => {
    it("is that version", () => {
      const { version } = JSON.parse(readFileSync(join(compiler, "../../package.json"), "utf8"))
      expect(version).toMatch(new RegExp(`^${name.replace(".", "\\.")}\\.`))
    })

    for (const resolution of RESOLUTIONS) {
      it(`type every entry, and refuse every mistake, as ${resolution[1]} finds them`, () => {
        // A CommonJS program finds the entries for `require` in the same run.
        const isRequired = resolution[1] === "node16"
        const files = ["app.ts", ...(isRequired ? ["requiring.cts"] : [])]
        const errors = compile(compiler, files, "es2022,dom,dom.iterable", resolution)
        expect(errors.map(line => /^(\w+\.c?ts\(\d+),/.exec(line)?.[1] ?? line)).toEqual([
          ...REFUSED.map(line => `app.ts(${line}`),
          ...(isRequired ? ["requiring.cts(7"] : []),
        ])
      })
    }

    it("ask for nothing but the language in the entries of the engine", () => {
      expect(compile(compiler, ["engine.ts"], "es2022", RESOLUTIONS[1])).toEqual([])
    })
  })
}

describe("the declarations", () => {
  it("name no package, and nothing of Effect or Node", () => {
    for (const name of ["index", "engine", "compiler", "full", "http", "edge", "client", "shared"]) {
      const text = readFileSync(join(app, "node_modules/landfall/dist", `${name}.d.ts`), "utf8")
      expect(
        text.match(/\bimport\(.*|\bfrom ['"](?!\.\/shared\.js).*|\b(Effect|Schema|Layer|Redacted)\.\w+/gm) ?? [],
        name,
      ).toEqual([])
    }
  })
})

/** What somebody has written so far, with two mistakes. */
const EDITED = `import { type Decision, decide, type GroupDecision, type GroupItineraryRequest, type HeldAnswer, type ItineraryRequest, type LookupAnswer } from "landfall"
import type { Breach, Comparison, Group, InputError, MobilityScore, Ranking } from "landfall"
import type { LookupClientOptions, LookupRequest, LookupResult } from "landfall/client"
import type { PastAnswer } from "landfall/history"
declare const dataset: Parameters<typeof decide>[0]
declare const decision: Decision
export const ends = decision.steps[0]?.to
export const wrong: ItineraryRequest = { passport: "FRA", stops: [{ destination: "JPN", form: "2026-12-01" }] }
export const decided = decide(dataset, { passport: "FRA", stops: 1 })
export declare const shapes: [ItineraryRequest, GroupItineraryRequest, LookupAnswer, Decision, GroupDecision, HeldAnswer]
export declare const others: [Breach, Comparison, Group, InputError, MobilityScore, Ranking, LookupClientOptions, LookupRequest, LookupResult, PastAnswer]
`

describe("an editor", () => {
  const file = join(folder, "edited.ts")
  const options: ts.CompilerOptions = {
    strict: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: [],
  }
  const service = ts.createLanguageService({
    ...ts.sys,
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => "1",
    getScriptSnapshot: name =>
      ts.sys.fileExists(name) ? ts.ScriptSnapshot.fromString(ts.sys.readFile(name) ?? "") : undefined,
    getCurrentDirectory: () => folder,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  })
  beforeAll(() => writeFileSync(file, EDITED))

  const describeAt = (text: string) => {
    const { displayParts, documentation } = service.getQuickInfoAtPosition(file, EDITED.indexOf(text)) ?? {}
    return [ts.displayPartsToString(displayParts), ts.displayPartsToString(documentation)]
  }

  it("shows what a field of a request and of a decision means", () => {
    expect(describeAt("destination:")).toEqual([
      "(property) Stop.destination: string",
      "The territory entered; territories have codes of their own (PYF, GRL, HKG).",
    ])
    expect(describeAt("to\n")).toEqual([
      "(property) Step.to: string | null",
      "Last day there; null if it was not given.",
    ])
  })

  it("names the interface in an error, and no formula", () => {
    const messages = service
      .getSemanticDiagnostics(file)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))
    expect(messages).toEqual([
      "Object literal may only specify known properties, and 'form' does not exist in type 'Stop'.",
      "Type 'number' is not assignable to type 'readonly Stop[]'.",
    ])
  })

  it("has a sentence for every field", () => {
    const program = service.getProgram() as ts.Program
    const checker = program.getTypeChecker()
    const source = program.getSourceFile(file) as ts.SourceFile
    const module = checker.getSymbolAtLocation(source) as ts.Symbol
    const shapes = checker.getExportsOfModule(module).filter(({ name }) => name === "shapes" || name === "others")
    const seen = new Set<ts.Type>()
    const silent: string[] = []
    const walk = (type: ts.Type, path: string): void => {
      if (seen.has(type)) return
      seen.add(type)
      const parts = type.isUnion()
        ? type.types
        : checker.isArrayType(type) || checker.isTupleType(type)
          ? checker.getTypeArguments(type as ts.TypeReference)
          : []
      for (const part of parts) walk(part, path)
      if (parts.length > 0) return
      if ((type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) === 0) return
      for (const property of type.getProperties()) {
        const name = `${path}.${property.name}`
        // The keys of a record by requirement, and what is the language's own.
        const [declared] = property.declarations ?? []
        if (declared === undefined || program.isSourceFileDefaultLibrary(declared.getSourceFile())) continue
        if (property.getDocumentationComment(checker).length === 0) silent.push(name)
        walk(checker.getTypeOfSymbol(property), name)
      }
    }
    for (const shape of shapes) walk(checker.getTypeOfSymbol(shape), "")
    expect(seen.size).toBeGreaterThan(100)
    expect(silent).toEqual([])
  })
})
