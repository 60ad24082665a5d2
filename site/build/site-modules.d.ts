/** The modules that virtual-modules.ts makes while the page is built. */
declare module "site:places" {
  export const MAP_WIDTH: number
  export const MAP_HEIGHT: number
  export const places: readonly (readonly [code: string, alpha2: string, x: number, y: number, area: number])[]
}

declare module "site:shapes/110m" {
  export const shapes: import("./world-shapes.ts").Shapes
}

declare module "site:shapes/50m" {
  export const shapes: import("./world-shapes.ts").Shapes
}

/** Loads the page's words of each language. */
declare module "site:messages" {
  export const CATALOGUES: {
    readonly [Code in import("landfall/full").Language]: () => Promise<{
      readonly catalogue: import("./page-messages.ts").PageCatalogue
    }>
  }
  /** The own name of each language, in the order in which they are offered. */
  export const OWN_NAMES: readonly (readonly [import("landfall/full").Language, string])[]
}

declare module "site:messages/*" {
  export const catalogue: import("./page-messages.ts").PageCatalogue
}

/** The parts of records, country by country, and the words of records by language. */
declare module "site:countries" {
  export const RECORD_WORDS: {
    readonly [Code in import("landfall/full").Language]: () => Promise<{
      /** Those that the page's words do not have. */
      readonly catalogue: Partial<import("landfall/full").Catalogue>
      /** The names of cities that the language calls otherwise. */
      readonly cities: readonly (readonly [city: string, name: string])[]
    }>
  }
  export const SHARED: import("./country-parts.ts").SharedParts
  export const COUNTRIES: {
    readonly [Code in string]?: () => Promise<{ readonly parts: import("./country-parts.ts").CountryParts }>
  }
}

/** Opens the page's own dataset with some of its remarks, and those that name no destination. */
declare module "site:remarks" {
  export const openRemarked: (texts: import("./country-parts.ts").Remarks) => import("landfall").Dataset
}

declare module "site:countries/*" {
  export const parts: import("./country-parts.ts").CountryParts
}

/** Packages of the map include no types; these are the parts that the build of the page uses. */
declare module "d3-geo" {
  type Position = number[]
  interface Polygon {
    readonly type: "Polygon"
    readonly coordinates: Position[][]
  }

  export interface GeoProjection {
    (point: readonly [number, number]): [number, number] | null
    rotate(angles: readonly [number, number]): this
    fitWidth(width: number, object: { readonly type: "Sphere" }): this
    translate(): [number, number]
    translate(point: readonly [number, number]): this
  }

  export function geoArea(object: Polygon): number
  export function geoCentroid(object: Polygon): [number, number]
  export function geoNaturalEarth1(): GeoProjection
  export function geoPath(projection: GeoProjection): {
    (object: Polygon): string | null
    digits(count: number): (object: Polygon) => string | null
    area(object: Polygon): number
    centroid(object: Polygon): [number, number]
  }
}

declare module "topojson-client" {
  interface Feature {
    readonly id: string | number
    readonly properties: { readonly name: string }
    readonly geometry:
      | { readonly type: "Polygon"; readonly coordinates: number[][][] }
      | { readonly type: "MultiPolygon"; readonly coordinates: number[][][][] }
  }

  export interface Topology {
    readonly objects: { readonly countries: object }
  }

  export function feature(topology: Topology, object: object): { readonly features: readonly Feature[] }
}
