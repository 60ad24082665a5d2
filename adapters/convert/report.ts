/** What does a conversion say besides what it made? What it assumed and what it left out, each with its place in the file; many of one kind are counted. */

/** A text of a file without signs that a terminal obeys. */
const toPlain = (text: string): string => text.replace(/\p{Cc}/gu, " ")

/** The file cannot be converted: where, and what was expected. */
export class Unconvertible extends Error {
  constructor(message: string) {
    super(toPlain(message))
  }
}

/** The most entries of a list that are said one by one. */
const MOST_SAID = 40

/** Notes of one kind, in the order of the file. */
export class Notes {
  readonly #said = new Map<string, number>()
  #others = 0

  add(given: string): void {
    const note = toPlain(given)
    const known = this.#said.get(note)
    if (known !== undefined || this.#said.size < MOST_SAID) this.#said.set(note, (known ?? 0) + 1)
    else this.#others++
  }

  list(): readonly string[] {
    const said = Array.from(this.#said, ([note, count]) => (count === 1 ? note : `${note} (${count} times)`))
    return this.#others === 0 ? said : [...said, `and ${this.#others.toLocaleString("en")} more`]
  }
}

/** The report of a conversion. */
export class Report {
  readonly assumed = new Notes()
  readonly leftOut = new Notes()
  /** Entries of the file that were read: events, lines, visits. */
  entries = 0
}
