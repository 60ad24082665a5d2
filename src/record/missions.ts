/**
 * Which embassies and consulates does one country have in another?
 *
 * Missions are packed as one text a field, in the order of operator, host, kind and city, and read at first use of a pair. They are as old
 * as the table says: nothing later is known.
 */

/** The kinds of mission, in the order in which they are listed. */
export const MISSION_KINDS = [
  "embassy",
  "high_commission",
  "apostolic_nunciature",
  "representative_office",
  "interests_section",
  "liaison_office",
  "consulate_general",
  "consulate",
  "consular_office",
  "honorary_consulate",
] as const

/** One of {@link MISSION_KINDS}. */
export type MissionKind = (typeof MISSION_KINDS)[number]

/** One mission as known. */
export interface MissionFact {
  readonly kind: MissionKind
  readonly operator: string
  readonly host: string
  readonly city: string | null
  readonly website: string | null
  readonly phone: string | null
  readonly email: string | null
}

/** Missions as compiled. */
export interface MissionParts {
  /** The day that the table describes. */
  readonly asOf: string
  readonly source: string
  /** Operator and host of each pair that has missions, six letters a pair, in alphabetical order. */
  readonly pairs: string
  /** For each pair, the number of its missions: one digit of base 36. */
  readonly counts: string
  /** One digit a mission, the place among {@link MISSION_KINDS}. */
  readonly kinds: string
  /** One line a mission. */
  readonly cities: string
  readonly websites: string
  readonly phones: string
  readonly emails?: string
}

/** The opened missions. */
export interface MissionIndex {
  readonly asOf: string
  /** Id of the source record. */
  readonly source: string
  /** Lists the missions of a country in another, embassies first. */
  readonly listMissions: (operator: string, host: string) => readonly MissionFact[]
  /** Says whether a country has a mission in another. */
  readonly hasIn: (operator: string, host: string) => boolean
}

const NONE: readonly MissionFact[] = Object.freeze([])

/**
 * Opens compiled missions; they are read one by one at first use.
 *
 * @example
 * ```ts
 * openMissions(missionParts).listMissions("JPN", "FRA").length > 0 // => true
 * ```
 */
export function openMissions(parts: MissionParts): MissionIndex {
  // By pair: the index of its first mission and, in the lowest six bits, their number.
  const places = new Map<string, number>()
  for (let pair = 0, at = 0; pair < parts.counts.length; pair++) {
    const count = Number.parseInt(parts.counts[pair] as string, 36)
    places.set(parts.pairs.slice(pair * 6, pair * 6 + 6), at * 64 + count)
    at += count
  }
  let lines: { readonly [Field in "cities" | "websites" | "phones" | "emails"]: readonly string[] } | null = null
  const known = new Map<string, readonly MissionFact[]>()

  function listMissions(operator: string, host: string): readonly MissionFact[] {
    const key = operator + host
    const found = known.get(key)
    if (found !== undefined) return found
    const place = places.get(key)
    if (place === undefined) return NONE
    const first = Math.floor(place / 64)
    lines ??= {
      cities: parts.cities.split("\n"),
      websites: parts.websites.split("\n"),
      phones: parts.phones.split("\n"),
      emails: parts.emails?.split("\n") ?? [],
    }
    const missions: MissionFact[] = []
    for (let i = first; i < first + (place % 64); i++) {
      missions.push(
        Object.freeze({
          kind: MISSION_KINDS[Number(parts.kinds[i])] as MissionKind,
          operator,
          host,
          city: lines.cities[i] || null,
          website: lines.websites[i] || null,
          phone: lines.phones[i] || null,
          email: lines.emails[i] || null,
        }),
      )
    }
    known.set(key, Object.freeze(missions))
    return missions
  }
  return Object.freeze({
    asOf: parts.asOf,
    source: parts.source,
    listMissions,
    hasIn: (operator: string, host: string) => places.has(operator + host),
  })
}
