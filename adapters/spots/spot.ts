/**
 * What is a spot?
 *
 * A place that travellers care about: where it is, what it is called, how it was judged, and where its position comes from. The names here are
 * the service's own; those of files and of the wire are snake_case and are translated where they are read and written.
 */

/** One place. Positions are degrees on WGS 84, north and east positive. */
export interface Spot {
  /** Lower-case words joined by hyphens; the order of a list without a point is by it. */
  readonly id: string
  readonly title: string
  readonly description: string
  /** From -90 to 90. */
  readonly latitude: number
  /** From -180 to 180. */
  readonly longitude: number
  /** One word, or null where none is known. */
  readonly category: string | null
  readonly tags: readonly string[]
  /** ISO 3166-1 alpha-2, or `XK`. */
  readonly countryCode: string
  /** Addresses of pictures. */
  readonly photos: readonly string[]
  /** From 0 to 5; 0 until somebody has rated. */
  readonly avgRating: number
  readonly reviewCount: number
  /** The page with the position; null if it is from general knowledge. */
  readonly source: string | null
  /** When the spot was entered into its set: a calendar date, or an instant in UTC. */
  readonly createdAt: string
  /** The day on which a person last compared it with its source, or null. */
  readonly verifiedOn: string | null
}

/** The most that one spot may hold; a file that has more is refused, not cut. */
export const SPOT_LIMITS = {
  idLength: 80,
  titleLength: 120,
  descriptionLength: 2_000,
  categoryLength: 40,
  tags: 20,
  tagLength: 40,
  photos: 20,
  addressLength: 2_048,
} as const

/** Reports an invalid value of a spot: the field with the given value, and the expected one. */
export type RefuseSpotField = (field: string, message: string) => void
