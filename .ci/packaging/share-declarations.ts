/**
 * Which declarations do several entries have, word for word?
 *
 * API Extractor writes each entry as a file of its own. What several have in the same form is moved into one file that they import, so the package is smaller, and a class of two entries is
 * one class.
 */

/** The name of the file with what entries share, without its ending. */
export const SHARED = "shared"

interface Declaration {
  readonly name: string
  /** The text with its comment, and without `export`. */
  readonly text: string
  readonly isExported: boolean
  /** The names in it, which may be those of other declarations. */
  readonly names: readonly string[]
}

const START = /^(export )?(?:declare )(?:abstract )?(?:function|interface|type|class|const|enum) ([\w$]+)/m
const NAMES = /[A-Za-z_$][\w$]*/g

/** Splits the file of an entry into its declarations and whatever else is in it: exports by other names. */
function splitDeclarations(text: string) {
  const blocks = text.split(/\n\n(?=\/\*\*|export |declare )/)
  const declarations: Declaration[] = []
  const rest: string[] = []
  for (const block of blocks) {
    const [found, exported, name] = START.exec(block) ?? []
    if (found === undefined || name === undefined) {
      rest.push(block)
      continue
    }
    const plain = block.replace(/^export declare /m, "declare ").trim()
    const code = plain.replace(/\/\*\*[\s\S]*?\*\//g, "")
    declarations.push({ name, text: plain, isExported: exported !== undefined, names: code.match(NAMES) ?? [] })
  }
  return { declarations, rest: rest.map(block => block.trim()).filter(block => block !== "" && block !== "export { }") }
}

/** The whole text of each name: overloads of a function are one declaration. */
function joinOverloads(declarations: readonly Declaration[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const { name, text } of declarations) {
    const before = texts.get(name)
    texts.set(name, before === undefined ? text : `${before}\n\n${text}`)
  }
  return texts
}

/** The text of each name that most entries have. */
function findCommon(entries: readonly ReadonlyMap<string, string>[]): ReadonlyMap<string, string> {
  const counts = new Map<string, Map<string, number>>()
  for (const [name, text] of entries.flatMap(texts => [...texts])) {
    const ofName = counts.get(name) ?? new Map<string, number>()
    counts.set(name, ofName.set(text, (ofName.get(text) ?? 0) + 1))
  }
  return new Map(
    [...counts].map(([name, ofName]) => [
      name,
      [...ofName].reduce((most, each) => (each[1] > most[1] ? each : most))[0],
    ]),
  )
}

/** The names of an entry that mean the same in the common file: so does all that they name. */
function findShared(
  declarations: readonly Declaration[],
  texts: ReadonlyMap<string, string>,
  common: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  const shared = new Set([...texts.keys()].filter(name => texts.get(name) === common.get(name)))
  for (let before = -1; before !== shared.size; ) {
    before = shared.size
    for (const { name, names } of declarations) {
      if (names.some(used => texts.has(used) && !shared.has(used))) shared.delete(name)
    }
  }
  return shared
}

/** Divides the files of the entries; returns every file by its name, with that of the shared declarations. */
export function shareDeclarations(entries: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const split = [...entries].map(([entry, text]) => {
    const parts = splitDeclarations(text)
    return { entry, ...parts, texts: joinOverloads(parts.declarations) }
  })
  const common = findCommon(split.map(({ texts }) => texts))
  const candidates = split.map(({ declarations, texts }) => findShared(declarations, texts, common))
  const isShared = (name: string) => candidates.filter(names => names.has(name)).length > 1
  const sharedTexts = [...common].filter(([name]) => isShared(name)).sort(([a], [b]) => (a < b ? -1 : 1))
  const write = (lines: readonly string[]) => `${[...lines, "export { }"].join("\n\n")}\n`
  const publish = (text: string) => text.replace(/^declare /gm, "export declare ")
  const files = new Map([[SHARED, write(sharedTexts.map(([, text]) => publish(text)))]])
  for (const [at, { entry, declarations, rest, texts }] of split.entries()) {
    const isHere = (name: string) => candidates[at]?.has(name) === true && isShared(name)
    const own = declarations.filter(({ name }) => !isHere(name))
    const used = new Set([...own.flatMap(({ names }) => names), ...rest.flatMap(text => text.match(NAMES) ?? [])])
    const exported = new Set(declarations.flatMap(({ name, isExported }) => (isExported ? [name] : [])))
    const list = (names: Iterable<string>) => [...names].filter(isHere).sort().join(", ")
    const [imports, exports] = [list([...texts.keys()].filter(name => used.has(name))), list(exported)]
    files.set(
      entry,
      write([
        ...(imports === "" ? [] : [`import { ${imports} } from "./${SHARED}.js"`]),
        ...(exports === "" ? [] : [`export { ${exports} } from "./${SHARED}.js"`]),
        ...own.map(({ text, isExported }) => (isExported ? publish(text) : text)),
        ...rest,
      ]),
    )
  }
  return files
}
