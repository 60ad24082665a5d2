/** Words by which countries are found: for each country's code its words, joined by bars. */
export interface PlaceWords {
  /** Its names in all languages, as the runtime of the build has them: asking a runtime for all of them takes 100 ms. */
  readonly names: Readonly<Record<string, string>>
  /** The names of its people. */
  readonly peoples: Readonly<Record<string, string>>
  /** Its cities and regions. */
  readonly places: Readonly<Record<string, string>>
  /** Its airports: the code of IATA and the city, and the rest of the name as a word of its own. */
  readonly airports: Readonly<Record<string, string>>
}
