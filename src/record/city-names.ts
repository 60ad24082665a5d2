/**
 * What are cities called in a language?
 *
 * By country and by the name that the data use, because two countries may have a city of one name. The cities are stored once,
 * with the facts; each language has its names in their order, one a line. A city whose name is the same in the language, or for
 * which none is known, has an empty line and keeps the name that the data use.
 */

/** Names of cities in one language, by the country's alpha-3 code and the name in the data, run together. */
export type CityNames = ReadonlyMap<string, string>

/**
 * Opens the names of a language.
 *
 * @example
 * ```ts
 * openCityNames("AUTVienna\nAUTGraz", "Wien\n").get("AUTVienna") // => "Wien"
 * openCityNames("AUTVienna\nAUTGraz", "Wien\n").has("AUTGraz") // => false
 * ```
 */
export function openCityNames(cities: string, names: string): CityNames {
  const spoken = names.split("\n")
  const known = new Map<string, string>()
  cities.split("\n").forEach((city, at) => {
    const name = spoken[at]
    if (name !== undefined && name !== "") known.set(city, name)
  })
  return known
}
