/**
 * Which endpoint does a request belong to?
 *
 * Rows are found by path and method with one look into a map, and by their segments if a path has parameters. 404, 405, `Allow`, preflight
 * answers and the labels of the metrics come from here, so they agree.
 */
import type { Endpoint } from "./endpoint.ts"
import type { SurfaceName } from "./surface.ts"

export interface KnownPath {
  /** The path as defined, with `:name` for a parameter. */
  readonly path: string
  readonly surface: SurfaceName
  /** Every method that it answers, `HEAD` and `OPTIONS` too. */
  readonly allow: string
  /** The row of a method; `HEAD` is answered by the row of `GET`. */
  readonly byMethod: ReadonlyMap<string, Endpoint>
  /** Its segments where some of them are parameters; null where none is. */
  readonly segments: readonly string[] | null
  /** The form of the whole path, if it does not accept every value. */
  readonly fits: RegExp | undefined
}

const splitPath = (path: string): string[] => path.split("/")

const fits = (segments: readonly string[], pattern: readonly string[]): boolean =>
  segments.length === pattern.length &&
  pattern.every((segment, at) => (segment.startsWith(":") ? segments[at] !== "" : segment === segments[at]))

/**
 * Reads the parameters that are in a path. Nothing is decoded.
 *
 * @example
 * ```ts
 * readPathValues(["", "spots", ":id"], "/spots/aachen-cathedral") // => {"id": "aachen-cathedral"}
 * ```
 */
export function readPathValues(segments: readonly string[], path: string): Readonly<Record<string, string>> {
  const given = splitPath(path)
  const values: Record<string, string> = {}
  segments.forEach((segment, at) => {
    if (segment.startsWith(":")) values[segment.slice(1)] = given[at] as string
  })
  return values
}

function gatherPath(path: string, rows: readonly Endpoint[]): KnownPath {
  const byMethod = new Map(rows.map(row => [row.method as string, row]))
  const get = byMethod.get("GET")
  const methods = [...byMethod.keys(), ...(get === undefined ? [] : ["HEAD"]), "OPTIONS"]
  if (get !== undefined) byMethod.set("HEAD", get)
  const [first] = rows as readonly [Endpoint]
  const segments = path.includes("/:") ? splitPath(path) : null
  return { path, surface: first.surface, allow: methods.join(", "), byMethod, segments, fits: first.pathFits }
}

/** Finds endpoints by path; built once. */
export class EndpointTable {
  readonly #exact = new Map<string, KnownPath>()
  readonly #patterns: readonly KnownPath[]
  readonly rows: readonly Endpoint[]

  constructor(rows: readonly Endpoint[]) {
    this.rows = rows
    const distinct = new Set(rows.map(({ path }) => path))
    const paths = [...distinct].map(path =>
      gatherPath(
        path,
        rows.filter(row => row.path === path),
      ),
    )
    for (const known of paths) if (known.segments === null) this.#exact.set(known.path, known)
    this.#patterns = paths.filter(known => known.segments !== null)
  }

  /** Finds the row of a request's path. Nothing is decoded: a path has one spelling. */
  find(path: string): KnownPath | undefined {
    const exact = this.#exact.get(path)
    if (exact !== undefined || this.#patterns.length === 0) return exact
    const segments = splitPath(path)
    return this.#patterns.find(known => fits(segments, known.segments ?? []) && known.fits?.test(path) !== false)
  }
}
