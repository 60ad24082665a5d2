/**
 * Which files is the explorer page made of, and how is each of them sent?
 *
 * `npm run site` builds them into `dist/site`, and the package has them as one file; here each is read once, with its type and how long it
 * may be kept. Servers put them at their paths, compress them and answer with 304. Names with a hash in them never change; the others are
 * asked for again each time.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { extname, join, relative, sep } from "node:path"
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib"
import { findOwnFile } from "../../files/own-files.ts"

/** One file of the page, ready to be sent. */
export interface SiteAsset {
  readonly bytes: Uint8Array
  /** Media type, with its character set. */
  readonly type: string
  readonly cacheControl: string
  /** Further headers: the page's policy. */
  readonly headers: Readonly<Record<string, string>>
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".webmanifest": "application/manifest+json",
}

const FOREVER = "public, max-age=31536000, immutable"
const ASK_AGAIN = "no-cache"
const HASHED = /-[A-Za-z0-9]{8}\.\w+$/

/** The page without its frame, which pages of other hosts may show in a frame of theirs. */
const EMBEDDED = "embed.html"

/** Files for the build only. */
const NOT_SERVED = new Set(["build.json"])

/** Where the built page is, a folder or the file of the package; null where it was never built. */
function findSite(): string | null {
  const folder = findOwnFile("dist/site")
  if (existsSync(join(folder, "index.html"))) return folder
  const file = findOwnFile("dist/page.br")
  return existsSync(file) ? file : null
}

/** The names of the files of a page, and how each is read. */
function openSite(place: string): readonly [names: readonly string[], read: (name: string) => Buffer] {
  if (!place.endsWith(".br")) return [listSiteFiles(place), name => readFileSync(join(place, name))]
  const files = openPage(readFileSync(place))
  return [[...files.keys()], name => files.get(name) as Buffer]
}

/** What the host adds to the page. */
export interface SiteOptions {
  /** Where on the same origin the page asks for a dataset to answer from instead of its own. */
  readonly dataset?: string
  /** Whether each pair and each passport has an address, `/IND/DEU` and `/passport/IND`. */
  readonly writesAddresses?: boolean
}

export interface SiteFiles {
  /** Every path that is answered, `/` for the page itself. */
  readonly paths: readonly string[]
  /** Finds the file of a path; it is read when it is first asked for, and kept. */
  readonly find: (path: string) => SiteAsset | undefined
}

/**
 * Lists the files of a page, from its folder or the file of the package; none where it was never built.
 */
export function openSiteFiles(place: string | null = findSite(), options: SiteOptions = {}): SiteFiles {
  const [names, readName] = place === null ? [[], null] : openSite(place)
  const nameOf = new Map(names.map(name => [`/${name}`, name]))
  if (nameOf.has("/index.html")) nameOf.set("/", "index.html")
  if (nameOf.has(`/${EMBEDDED}`)) nameOf.set("/embed", EMBEDDED)
  const known = new Map<string, SiteAsset>()
  const find = (path: string): SiteAsset | undefined => {
    const name = nameOf.get(path)
    const asset = known.get(path)
    if (readName === null || name === undefined || asset !== undefined) return asset
    const read = readName(name)
    const made = makeAsset(path, name, extname(name) === ".html" ? tellOptions(read, options) : read)
    known.set(path, made)
    return made
  }
  return { paths: [...nameOf.keys()], find }
}

/** The files of a built page by their names. */
export function listSiteFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .filter(name => !NOT_SERVED.has(name))
    .sort()
}

function tellOptions(page: Buffer, { dataset, writesAddresses = false }: SiteOptions): Buffer {
  const write = (name: string, content: string) =>
    `  <meta name="landfall-${name}" content="${content.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}">\n  `
  const told = [
    dataset === undefined ? "" : write("dataset", dataset),
    writesAddresses ? write("addresses", "written") : "",
  ]
  return Buffer.from(page.toString("utf8").replace("</head>", () => `${told.join("")}</head>`))
}

/** Makes a file ready to be sent: `name` says by its ending what it is. */
function makeAsset(path: string, name: string, bytes: Uint8Array): SiteAsset {
  const extension = extname(name)
  return {
    bytes,
    type: TYPES[extension] ?? "application/octet-stream",
    cacheControl: HASHED.test(path) ? FOREVER : ASK_AGAIN,
    headers: extension === ".html" ? pageHeaders(Buffer.from(bytes), name === EMBEDDED ? "*" : "'none'") : {},
  }
}

/** The page holds its policy itself, for hosts that send no headers; directives that only a header can carry are added here. */
function pageHeaders(page: Buffer, framedBy: string): Record<string, string> {
  const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page.toString("utf8"))?.[1]
  return {
    ...(policy === undefined ? {} : { "content-security-policy": `${policy}; frame-ancestors ${framedBy}` }),
    "referrer-policy": "no-referrer",
  }
}

// How is the built page one file of the package?
// Hundreds of small scripts repeat each other's words, so all of them together are a fifth of their size with brotli. Before it is
// compressed, the file is the length of a list as four bytes, the list of names and lengths as JSON, and the contents in that order. A
// clone has the folder instead.

/** Packs files by their names. The same files give the same bytes. */
export function packPage(files: ReadonlyMap<string, Uint8Array>): Buffer {
  const list = Buffer.from(JSON.stringify([...files].map(([name, { length }]) => [name, length])))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(list.length)
  const whole = Buffer.concat([length, list, ...files.values()])
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 }
  return brotliCompressSync(whole, { params })
}

/** The files of a packed page by their names. Throws if it is not one. */
export function openPage(packed: Uint8Array): ReadonlyMap<string, Buffer> {
  const whole = brotliDecompressSync(packed)
  let at = 4 + whole.readUInt32LE()
  const list = JSON.parse(whole.toString("utf8", 4, at)) as readonly (readonly [name: string, length: number])[]
  return new Map(
    list.map(([name, length]) => {
      at += length
      return [name, whole.subarray(at - length, at)]
    }),
  )
}
