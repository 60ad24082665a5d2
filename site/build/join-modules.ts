/**
 * How is the page made of few files?
 *
 * esbuild puts modules into one file only where exactly the same views use them, so that a view comes in thirty files. A browser asks for six at a
 * time, and each turn costs a slow network a sixth of a second. So modules that most views share are joined into one module first: what such a
 * module exports is then passed on from the joined one.
 */
import { join, relative } from "node:path"
import { build, type Metafile, type OnResolveArgs, type Plugin } from "esbuild"

/** Modules that become one, as the metafile names them. */
export interface Group {
  readonly name: string
  readonly members: readonly string[]
}

interface Joining {
  readonly root: string
  /** How the page finds modules. */
  readonly plugins: readonly Plugin[]
}

const NAMESPACE = "joined"

/** Under which name a joined module passes on a member's export. */
const nameIn = (place: number, name: string) => `m${place}_${name}`

/** Names a module as an import does: by its whole path, or as the page's plugin knows it. */
const specifierOf = (root: string, member: string) => (member.startsWith("site:") ? member : join(root, member))

/** The name of a file in the metafile; packages may be linked to from outside of the root, as in a clone that shares them. */
const memberOf = (root: string, { namespace, path }: { readonly namespace: string; readonly path: string }) =>
  namespace === "file" ? relative(root, path) : `${namespace}:${path}`

/** Leaves every import as it is that `isInside` does not want, by a name that can be resolved from anywhere. */
function leaveOutside(root: string, isInside: (member: string, kind: OnResolveArgs["kind"]) => boolean): Plugin {
  return {
    name: "leave-outside",
    setup(current) {
      current.onResolve({ filter: /.*/ }, async ({ path, pluginData, ...asked }) => {
        if (pluginData === NAMESPACE) return undefined
        const found = await current.resolve(path, { ...asked, pluginData: NAMESPACE })
        if (found.errors.length > 0) return { errors: found.errors }
        const member = memberOf(root, found)
        if (isInside(member, asked.kind)) return found
        return { path: specifierOf(root, member), external: true }
      })
    },
  }
}

export const MODULES = {
  bundle: true,
  preserveSymlinks: true,
  write: false,
  metafile: true,
  format: "esm",
  platform: "browser",
  target: "es2022",
  charset: "utf8",
  jsx: "automatic",
  jsxImportSource: "preact",
  logLevel: "warning",
} as const

/** Returns the names that each module exports. */
async function listExports(members: readonly string[], { root, plugins }: Joining) {
  const { metafile } = await build({
    ...MODULES,
    absWorkingDir: root,
    outdir: root,
    entryPoints: members.map((member, at) => ({ in: specifierOf(root, member), out: `m${at}` })),
    plugins: [leaveOutside(root, (_, kind) => kind === "entry-point"), ...plugins],
  })
  return members.map((_, at) => metafile.outputs[`m${at}.js`]?.exports ?? [])
}

/** Joins groups of modules; returns the plugin that replaces their members by them, and their contents. */
export async function joinModules(groups: readonly Group[], joining: Joining) {
  const { root, plugins } = joining
  const texts = new Map<string, string>()
  const proxies = new Map<string, string>()
  const inputs: Metafile["inputs"] = {}
  for (const { name, members } of groups) {
    const exported = await listExports(members, joining)
    const passOn = (at: number, change: (name: string) => string) =>
      `export { ${(exported[at] ?? []).map(change).join(", ")} }`
    const { outputFiles, metafile } = await build({
      ...MODULES,
      absWorkingDir: root,
      stdin: {
        contents: members
          .map((member, at) => {
            const list = passOn(at, each => `${each} as ${nameIn(at, each)}`)
            return `${list} from ${JSON.stringify(specifierOf(root, member))}`
          })
          .join("\n"),
        resolveDir: root,
      },
      plugins: [
        leaveOutside(root, (member, kind) => kind !== "dynamic-import" && members.includes(member)),
        ...plugins,
      ],
    })
    Object.assign(inputs, metafile.inputs)
    texts.set(name, outputFiles[0]?.text ?? "")
    members.forEach((member, at) => {
      proxies.set(member, `${passOn(at, each => `${nameIn(at, each)} as ${each}`)} from "${NAMESPACE}:${name}"`)
    })
  }
  const plugin: Plugin = {
    name: "joined-modules",
    setup(current) {
      current.onResolve({ filter: /^joined:/ }, ({ path }) => ({
        path: path.slice(NAMESPACE.length + 1),
        namespace: NAMESPACE,
        sideEffects: false,
      }))
      current.onLoad({ filter: /.*/, namespace: NAMESPACE }, ({ path }) => ({
        contents: texts.get(path) ?? "",
        loader: "js",
        resolveDir: root,
      }))
      current.onLoad({ filter: /.*/ }, loaded => {
        const contents = proxies.get(memberOf(root, loaded))
        return contents === undefined ? undefined : { contents, loader: "js", resolveDir: root }
      })
    },
  }
  return { plugin, inputs }
}
