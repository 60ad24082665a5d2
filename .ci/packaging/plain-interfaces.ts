/**
 * What does an editor show of the types that are computed from tables of fields?
 *
 * In the sources, requests and answers have types such as `Given<typeof STOP, "engine">`: there, no field has a sentence, and errors name the formula. In the declarations each of them becomes an
 * interface, and every field has the sentence of its row.
 */
import { writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import ts from "typescript"
import { DECISION_ANSWER, DECISION_COST, GROUP_ANSWER } from "../../src/trip/answer-fields.ts"
import { DECISION_REQUEST } from "../../src/trip/request-fields.ts"

interface Row {
  readonly wire: string
  readonly about: string
  readonly is: unknown
}
/** The rows of a table, by the names of the engine and by those of the wire. */
type Table = ReadonlyMap<string, Row>

/** Every table inside a value. */
function listTables(value: unknown): readonly Table[] {
  if (typeof value !== "object" || value === null) return []
  const rows = Object.entries(value).filter(([, row]) => typeof row?.wire === "string") as [string, Row][]
  const table = new Map(rows.flatMap(([name, row]) => [[name, row] as const, [row.wire, row] as const]))
  return [...(table.size === 0 ? [] : [table]), ...Object.values(value).flatMap(listTables)]
}

const TABLES = {
  requests: listTables(DECISION_REQUEST),
  answers: listTables([DECISION_ANSWER, DECISION_COST, GROUP_ANSWER]),
}

/** The formulas, with the table of each. In requests, the types of fields that may be left out name `undefined`. */
const FORMULAS: Readonly<Record<string, keyof typeof TABLES>> = {
  Given: "requests",
  Read: "requests",
  Made: "answers",
  Written: "answers",
}
const FILES = { requests: "src/fields/read-fields.d.ts", answers: "src/trip/answer-fields.d.ts" }

/** Whether a row can have this text: each kind of a remedy has a word of its own. */
function mayBe({ is }: Row, word: string): boolean {
  const { words } = (is as { readonly is?: { readonly words?: readonly string[] } }).is ?? {}
  return words?.includes(word) ?? true
}

const namesOf = (type: ts.Type) => type.getProperties().map(({ name }) => name)

/** What a file has instead of some of its text. */
interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** A type that becomes an interface, and is named wherever others have its fields. */
interface Named {
  readonly name: string
  readonly file: string
  readonly type: ts.Type
}

/** Writes the types that are computed from tables as interfaces, in a folder of declarations as the compiler wrote them. */
export function writePlainInterfaces(folder: string, entries: readonly string[]): void {
  const program = ts.createProgram([...entries], {
    strict: true,
    target: ts.ScriptTarget.ES2023,
    lib: ["lib.es2023.d.ts", "lib.dom.d.ts"],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
  })
  const checker = program.getTypeChecker()
  const printer = ts.createPrinter({ removeComments: true })
  const files = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(folder))

  /** The name of the formula that a type is written with, if it is that of a table. */
  function formulaOf(node: ts.Node): string | undefined {
    if (!ts.isTypeReferenceNode(node) && !ts.isExpressionWithTypeArguments(node)) return undefined
    const [given] = node.typeArguments ?? []
    if (given === undefined || !ts.isTypeQueryNode(given)) return undefined
    const used = ts.isTypeReferenceNode(node) ? node.typeName : node.expression
    const symbol = checker.getSymbolAtLocation(used)
    if (symbol === undefined) return undefined
    const [declaration] = (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol)
      .declarations!
    const formula = FORMULAS[used.getText()]
    const isFormula = formula !== undefined && declaration?.getSourceFile().fileName === join(folder, FILES[formula])
    return isFormula ? used.getText() : undefined
  }

  const parentsOf = (node: ts.Node) =>
    ts.isInterfaceDeclaration(node) ? (node.heritageClauses ?? []).flatMap(({ types }) => [...types]) : []
  const named = files.flatMap(({ fileName, statements }) =>
    statements.flatMap((node): readonly Named[] => {
      if (!ts.isInterfaceDeclaration(node) && !ts.isTypeAliasDeclaration(node)) return []
      const parts = ts.isTypeAliasDeclaration(node) ? [node.type] : parentsOf(node)
      if (!parts.some(part => formulaOf(part) !== undefined)) return []
      return [{ name: node.name.text, file: fileName, type: checker.getTypeAtLocation(node.name) }]
    }),
  )

  const isSame = (one: ts.Type, other: ts.Type) =>
    namesOf(one).length === namesOf(other).length &&
    checker.isTypeAssignableTo(one, other) &&
    checker.isTypeAssignableTo(other, one)

  /** The smallest table with the fields of a type. Those of a type that was read have keys and days beside them. */
  function findTable(type: ts.Type, tables: readonly Table[]): Table | undefined {
    const names = namesOf(type).filter(name => !/(?:Key|Day)$/.test(name))
    const fits = (table: Table) =>
      names.every(name => {
        const row = table.get(name)
        const value = type.getProperty(name) && checker.getTypeOfSymbol(type.getProperty(name)!)
        return row !== undefined && (value?.isStringLiteral() !== true || mayBe(row, value.value))
      })
    if (names.length === 0) return undefined
    return tables.filter(fits).toSorted((one, other) => one.size - other.size)[0]
  }

  const isWithoutName = ({ aliasSymbol, symbol, flags }: ts.Type) =>
    (flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0 &&
    (aliasSymbol === undefined || aliasSymbol.name in FORMULAS || aliasSymbol.name === "Flat") &&
    (symbol === undefined || (symbol.flags & ts.SymbolFlags.TypeLiteral) !== 0)

  /** Writes types for one declaration. */
  function writerOf(place: ts.Node, mayBeUndefined: boolean) {
    const { fileName } = place.getSourceFile()

    function writeName(type: ts.Type): string {
      const node = checker.typeToTypeNode(type, place, ts.NodeBuilderFlags.NoTruncation) as ts.TypeNode
      return printer.printNode(ts.EmitHint.Unspecified, node, place.getSourceFile())
    }

    function writeParts(type: ts.Type, tables: readonly Table[], indent: string): readonly string[] | undefined {
      if (type.isUnion()) {
        const parts = type.types.map(each => writeParts(each, tables, indent))
        if (parts.every(each => each === undefined)) return undefined
        const texts = type.types.flatMap((each, at) => parts[at] ?? [writeName(each)])
        const isLast = (text: string) => Number(text === "null") + 2 * Number(text === "undefined")
        return texts.toSorted((one, other) => isLast(one) - isLast(other))
      }
      if (checker.isArrayType(type)) {
        const [element] = checker.getTypeArguments(type as ts.TypeReference)
        const parts = element && writeParts(element, tables, indent)
        if (parts === undefined) return undefined
        return [`readonly ${parts.length > 1 ? `(${parts.join(" | ")})` : parts.join()}[]`]
      }
      const table = isWithoutName(type) ? findTable(type, tables) : undefined
      if (table === undefined) return undefined
      const other = named.find(each => isSame(each.type, type))
      if (other === undefined) return [`{\n${writeFields(type, table, `${indent}    `)}${indent}}`]
      const path = relative(dirname(fileName), other.file).replace(/\.d\.ts$/, ".ts")
      return [
        other.file === fileName ? other.name : `import("${path.startsWith(".") ? path : `./${path}`}").${other.name}`,
      ]
    }

    function writeFields(type: ts.Type, table: Table, indent: string): string {
      // What was read has keys and days behind the fields that they are made from.
      const order = [...table.keys()]
      const placeOf = ({ name }: ts.Symbol) => (table.has(name) ? order.indexOf(name) : order.length)
      return type
        .getProperties()
        .toSorted((one, other) => placeOf(one) - placeOf(other))
        .map(property => {
          const row = table.get(property.name)
          const value = checker.getTypeOfSymbol(property)
          const text = (writeParts(value, listTables(row?.is), indent) ?? [writeName(value)]).join(" | ")
          const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0
          const about = row === undefined ? "" : `${indent}/** ${row.about} */\n`
          const shown = isOptional && !mayBeUndefined ? text.replace(/ \| undefined$/, "") : text
          return `${about}${indent}readonly ${property.name}${isOptional ? "?" : ""}: ${shown};\n`
        })
        .join("")
    }

    return writeFields
  }

  function writeBody(formula: ts.Node, place: ts.Node): string {
    const type = checker.getTypeAtLocation(formula)
    const which = FORMULAS[formulaOf(formula) as string] as keyof typeof TABLES
    const table = findTable(type, TABLES[which])
    if (table === undefined) throw new Error(`No table describes ${formula.getText()}: ${namesOf(type).join(", ")}.`)
    return writerOf(place, which === "requests")(type, table, "    ")
  }

  function listEdits(node: ts.Node): readonly Edit[] {
    const parents = parentsOf(node)
    const formulas = ts.isTypeAliasDeclaration(node) ? [node.type] : parents
    const known = formulas.filter(each => formulaOf(each) !== undefined)
    if (known.length > 0 && (ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node))) {
      const others = parents.filter(each => !known.includes(each)).map(each => each.getText())
      const from = others.length === 0 ? "" : ` extends ${others.join(", ")}`
      const head = [...(node.modifiers ?? []).map(each => each.getText()), "interface", node.name.text].join(" ")
      const own = ts.isInterfaceDeclaration(node)
        ? node.members.map(each => `    ${each.getFullText().trim()}\n`).join("")
        : ""
      const body = known.map(each => writeBody(each, node)).join("")
      return [{ start: node.getStart(), end: node.end, text: `${head}${from} {\n${body}${own}}` }]
    }
    const edits: Edit[] = []
    const visit = (inner: ts.Node): void => {
      if (formulaOf(inner) === undefined) return void ts.forEachChild(inner, visit)
      edits.push({ start: inner.getStart(), end: inner.end, text: `{\n${writeBody(inner, node)}}` })
    }
    visit(node)
    return edits
  }

  for (const { fileName, statements, text } of files) {
    const edits = statements.flatMap(listEdits)
    if (edits.length === 0) continue
    const pieces = edits.map(({ start, text: given }, at) => text.slice(edits[at - 1]?.end ?? 0, start) + given)
    writeFileSync(fileName, pieces.join("") + text.slice(edits.at(-1)?.end ?? 0))
  }
}
