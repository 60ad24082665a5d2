/**
 * What does the package declare, entry by entry?
 *
 * Written from API Extractor's reports, so that a review sees every change of the public interface as a change of `.ci/packaging/api-report.md`. A declaration that an earlier entry has in the same
 * form is named and not repeated.
 */

const OPENING = `# API report

What each entry of the package declares, written by \`npm run regenerate -- api-report\` and not by hand; a packaging test holds it to what is built. A change here is a
change of the public surface: it belongs in the changelog. Declarations without \`export\` cannot be imported; exported ones are made of them.
`

const specifierOf = (entry: string): string => (entry === "index" ? "landfall" : `landfall/${entry}`)

/** The declarations of one report of API Extractor, in its order: by name. */
function listDeclarations(report: string): readonly string[] {
  const code = /```ts\n([\s\S]*?)\n```/.exec(report)?.[1] ?? ""
  return code
    .split(/\n\n(?=\/\/ @public)/)
    .map(block => block.replace(/\n\n\/\/ \(No @packageDocumentation[^\n]*/, "").trim())
    .filter(block => block.startsWith("// @public") || /^(export|import|declare)\b/m.test(block))
    .map(block => block.replace(/^\/\/ @public.*\n/, "").replace(/^ *\/\/ \(undocumented\)\n/gm, ""))
}

/** The text that is compared: whether a declaration can be imported does not count. */
const contentOf = (declaration: string): string => declaration.replace(/^export /, "")

function nameOf(declaration: string): string {
  return (
    /^(?:export )?(?:declare )?(?:abstract )?(?:function|interface|type|class|const) (\w+)/m.exec(declaration)?.[1] ??
    declaration
  )
}

/** Joins the reports of all entries. */
export function writeApiReport(reports: ReadonlyMap<string, string>): string {
  const declaredBy = new Map<string, string>()
  const sections = [...reports].map(([entry, report]) => {
    const own: string[] = []
    const shared = new Map<string, string[]>()
    for (const declaration of listDeclarations(report)) {
      const first = declaredBy.get(contentOf(declaration))
      if (first === undefined) own.push(declaration)
      else if (declaration.startsWith("export")) shared.set(first, [...(shared.get(first) ?? []), nameOf(declaration)])
    }
    for (const declaration of own) declaredBy.set(contentOf(declaration), entry)
    const repeated = [...shared].map(
      ([first, names]) => `As in \`${specifierOf(first)}\`: ${names.map(name => `\`${name}\``).join(", ")}.\n`,
    )
    return [`## \`${specifierOf(entry)}\`\n`, ...repeated, `\`\`\`ts\n${own.join("\n\n")}\n\`\`\`\n`].join("\n")
  })
  return [OPENING, ...sections].join("\n")
}
