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

  /** What a path is drawn by. */
  interface Context {
    beginPath(): void
    moveTo(x: number, y: number): void
    lineTo(x: number, y: number): void
    closePath(): void
    arc(): void
  }

  export function geoArea(object: Polygon): number
  export function geoCentroid(object: Polygon): [number, number]
  export function geoNaturalEarth1(): GeoProjection
  export function geoPath(
    projection: GeoProjection,
    context?: Context,
  ): {
    (object: Polygon): void
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
