/**
 * How does the first view load only the parts of the package that it uses?
 *
 * The page imports `landfall` by its public entries, as any app would. esbuild includes a file in every part of the page from
 * which it can be reached, used there or not, so one import of an entry would bring the whole engine and all records into the
 * first view. So the build imports each name from the file that declares it. Nothing else changes.
 */
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Plugin } from "esbuild"

const SOURCES = join(import.meta.dirname, "../../src")
const ENTRIES: Readonly<Record<string, string>> = {
  landfall: join(SOURCES, "index.ts"),
  "landfall/full": join(SOURCES, "full.ts"),
  "landfall/history": join(SOURCES, "history.ts"),
}

const PASSED_ON = /^export \{([^}]*)\} from "(\.[^"]+)"/gm
const ALL_PASSED_ON = /^export \* from "(\.[^"]+)"/gm
const IMPORTED = /^import \{([^}]*)\} from "(landfall(?:\/full|\/history)?)"/gm

/** The values in a list of imports or exports, without types. */
function listValues(list: string): readonly string[] {
  return list
    .split(",")
    .map(name => name.trim())
    .filter(name => name !== "" && !name.startsWith("type "))
}

/** Returns for each name the file from which an entry re-exports it. */
function findDeclarations(entry: string): ReadonlyMap<string, string> {
  const text = readFileSync(entry, "utf8")
  const files = new Map<string, string>()
  for (const [, path = ""] of text.matchAll(ALL_PASSED_ON)) {
    for (const [name, file] of findDeclarations(join(dirname(entry), path))) files.set(name, file)
  }
  for (const [, list = "", path = ""] of text.matchAll(PASSED_ON)) {
    for (const name of listValues(list)) files.set(name, join(dirname(entry), path))
  }
  return files
}

/** Imports each name of the package from the file that declares it. */
export function importDirectly(source: string, declarations: (entry: string) => ReadonlyMap<string, string>): string {
  return source.replace(IMPORTED, (_, list: string, entry: string) =>
    listValues(list)
      .map(name => {
        const [imported = name] = name.split(" as ")
        const file = declarations(entry).get(imported) ?? ENTRIES[entry] ?? entry
        return `import { ${name} } from ${JSON.stringify(file)}`
      })
      .join(";"),
  )
}

/** Lets the files of the page import names from the files that declare them. */
export const directImports: Plugin = {
  name: "direct-imports",
  setup(build) {
    const known = new Map<string, ReadonlyMap<string, string>>()
    const declarations = (entry: string) => {
      const files = known.get(entry) ?? findDeclarations(ENTRIES[entry] ?? entry)
      known.set(entry, files)
      return files
    }
    build.onLoad({ filter: /[\\/]site[\\/].*\.tsx?$/ }, ({ path }) => ({
      contents: importDirectly(readFileSync(path, "utf8"), declarations),
      loader: path.endsWith("x") ? "tsx" : "ts",
    }))
  },
}
