/**
 * How far is it from one point of the Earth to another, along the surface?
 *
 * The Earth is the sphere of the radius that the specification names. Points are unit vectors, so that neither the poles nor the
 * date line are a special case: the shorter the chord between two vectors, the nearer the points.
 */

/** The mean radius of the Earth in metres (IUGG, R₁). */
export const EARTH_RADIUS_METRES = 6_371_008.8

const RADIANS = Math.PI / 180

/** The unit vector of a position in degrees. */
export function toUnitVector(latitude: number, longitude: number) {
  const level = Math.cos(latitude * RADIANS)
  return {
    x: level * Math.cos(longitude * RADIANS),
    y: level * Math.sin(longitude * RADIANS),
    z: Math.sin(latitude * RADIANS),
  }
}

/** The square of the chord that a distance along the surface spans, on the unit sphere; 4 from half of the Earth on. */
export function squareChord(metres: number): number {
  const angle = metres / EARTH_RADIUS_METRES
  return angle >= Math.PI ? 4 : 4 * Math.sin(angle / 2) ** 2
}

/** The distance along the surface, in metres, that a chord of the unit sphere spans, from the square of the chord. */
export function chordToMetres(square: number): number {
  const sine = Math.sqrt(square) / 2
  // Below 640 km five terms of the arc sine's series are exact to the last bits, and several times as fast.
  if (square < 0.01) {
    const s = square / 4
    return (
      2 *
      EARTH_RADIUS_METRES *
      sine *
      (1 + s * (1 / 6 + s * (3 / 40 + s * (5 / 112 + s * (35 / 1152 + s * (63 / 2816))))))
    )
  }
  return 2 * EARTH_RADIUS_METRES * Math.asin(Math.min(1, sine))
}

/** A position in degrees. */
export interface Position {
  readonly latitude: number
  readonly longitude: number
}
