/**
 * Which paths are there, and which methods do they take?
 *
 * Read from the definition of the interface, so that 404, 405, `Allow`, preflight answers and the labels of the metrics agree with the
 * routes.
 */
import { HttpApi, type HttpApiGroup } from "effect/http-api"

/** One path of the service. */
export interface KnownPath {
  /** As it is defined, with `:name` for a parameter. */
  readonly path: string
  /** Everything that it answers to, `HEAD` and `OPTIONS` too. */
  readonly allow: string
  readonly methods: ReadonlySet<string>
}

interface Pattern extends KnownPath {
  readonly segments: readonly string[]
}

const splitPath = (path: string): string[] => path.split("/")

/** Finds paths; built once. */
export class KnownPaths {
  readonly #exact = new Map<string, KnownPath>()
  readonly #patterns: readonly Pattern[]

  /** Paths with their methods, for example `["/docs", "GET"]`; one path may come several times. */
  constructor(routes: Iterable<readonly [path: string, method: string]>) {
    const methods = new Map<string, string[]>()
    for (const [path, method] of routes) methods.set(path, [...(methods.get(path) ?? []), method])
    const paths = [...methods].map(([path, given]): Pattern => {
      const all = [...given, ...(given.includes("GET") ? ["HEAD"] : []), "OPTIONS"]
      return { path, allow: all.join(", "), methods: new Set(all), segments: splitPath(path) }
    })
    for (const known of paths) if (!known.path.includes("/:")) this.#exact.set(known.path, known)
    this.#patterns = paths.filter(known => known.path.includes("/:"))
  }

  /** Finds the path that a request's path (without its query) belongs to. */
  find(pathname: string): KnownPath | undefined {
    const exact = this.#exact.get(pathname)
    if (exact !== undefined || this.#patterns.length === 0) return exact
    const segments = splitPath(pathname)
    return this.#patterns.find(
      pattern =>
        pattern.segments.length === segments.length &&
        pattern.segments.every((segment, at) =>
          segment.startsWith(":") ? segments[at] !== "" : segment === segments[at],
        ),
    )
  }
}

/** The routes of an interface definition. */
export function listRoutes<Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
): (readonly [path: string, method: string])[] {
  const routes: (readonly [string, string])[] = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => routes.push([endpoint.path, endpoint.method]),
  })
  return routes
}

/** The path of a request's URL, without its query. Nothing is decoded: a path has one spelling. */
export function pathOf(url: string): string {
  const end = url.indexOf("?")
  return end < 0 ? url : url.slice(0, end)
}
