/**
 * What does a line ask, if it asks it in the usual way?
 *
 * Most lines of a batch are objects of the same few fields with texts in which nothing is escaped. They are read here in one pass, straight into the record that the engine
 * takes. Whatever else a line may be (another field, an escape, a number, a null, a field twice, a mistake) is not judged here: the answer is null, and the line is read with
 * JSON.parse, which is the measure: where both read a line, they read the same.
 */

/** A line's request, with the engine's names. */
export interface PlainRequest {
  readonly id: string | number | null
  readonly request: {
    passport: string | undefined
    passportExpiry: string | undefined
    stops: PlainStop[] | undefined
    transit: string[] | undefined
    residence: string | undefined
    purpose: string | undefined
  }
}

interface PlainStop {
  destination: string | undefined
  from: string | undefined
  to: string | undefined
}

const TAB = 9
const RETURN = 13
const BLANK = 32
const QUOTE = 34
const COMMA = 44
const ZERO = 48
const NINE = 57
const COLON = 58
const OPEN_LIST = 91
const BACKSLASH = 92
const CLOSE_LIST = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125

/** More digits may not be exact. */
const MOST_DIGITS = 15

/** Reads lines; one reader for all of them. */
export class PlainReader {
  #text = ""
  #at = 0
  #end = 0
  // Whether nothing unusual was met; if it was, what a method gives is not looked at.
  #isUsual = true

  /**
   * Reads the line between two places of a text; null where it has to be read with JSON.parse.
   *
   * @example
   * ```ts
   * new PlainReader().read('{"id":7,"passport":"FRA","stops":[]}', 0, 36).request.passport // => "FRA"
   * new PlainReader().read('{"passport":null}', 0, 17) // => null
   * ```
   */
  read(text: string, from: number, to: number): PlainRequest | null {
    this.#text = text
    this.#at = from
    this.#end = to
    this.#isUsual = true
    const request = this.#readRequest()
    this.#passBlanks()
    return this.#isUsual && this.#at === to ? request : null
  }

  #readRequest(): PlainRequest {
    let id: string | number | undefined
    let passport: string | undefined
    let passportExpiry: string | undefined
    let stops: PlainStop[] | undefined
    let transit: string[] | undefined
    let residence: string | undefined
    let purpose: string | undefined
    this.#expect(OPEN_OBJECT)
    do {
      this.#expect(QUOTE)
      if (id === undefined && this.#takeName('id"')) id = this.#readId()
      else if (passport === undefined && this.#takeName('passport"')) passport = this.#readText()
      else if (passportExpiry === undefined && this.#takeName('passport_expiry"')) passportExpiry = this.#readText()
      else if (stops === undefined && this.#takeName('stops"')) stops = this.#readList(this.#readStop)
      else if (transit === undefined && this.#takeName('transit"')) transit = this.#readList(this.#readText)
      else if (residence === undefined && this.#takeName('residence"')) residence = this.#readText()
      else if (purpose === undefined && this.#takeName('purpose"')) purpose = this.#readText()
      else this.#isUsual = false
    } while (this.#isUsual && this.#take(COMMA))
    this.#expect(CLOSE_OBJECT)
    return { id: id ?? null, request: { passport, passportExpiry, stops, transit, residence, purpose } }
  }

  #readStop(): PlainStop {
    let destination: string | undefined
    let from: string | undefined
    let to: string | undefined
    this.#expect(OPEN_OBJECT)
    do {
      this.#expect(QUOTE)
      if (destination === undefined && this.#takeName('destination"')) destination = this.#readText()
      else if (from === undefined && this.#takeName('from"')) from = this.#readText()
      else if (to === undefined && this.#takeName('to"')) to = this.#readText()
      else this.#isUsual = false
    } while (this.#isUsual && this.#take(COMMA))
    this.#expect(CLOSE_OBJECT)
    return { destination, from, to }
  }

  #readList<Entry>(readEntry: () => Entry): Entry[] {
    const entries: Entry[] = []
    this.#expect(OPEN_LIST)
    if (this.#take(CLOSE_LIST)) return entries
    do entries.push(readEntry.call(this))
    while (this.#isUsual && this.#take(COMMA))
    this.#expect(CLOSE_LIST)
    return entries
  }

  #readText(): string {
    this.#expect(QUOTE)
    const text = this.#text
    const from = this.#at
    for (let at = from; at < this.#end; at++) {
      const sign = text.charCodeAt(at)
      if (sign === QUOTE) {
        this.#at = at + 1
        return text.slice(from, at)
      }
      if (sign === BACKSLASH || sign < BLANK) break
    }
    this.#isUsual = false
    return ""
  }

  #readId(): string | number {
    this.#passBlanks()
    const from = this.#at
    if (this.#text.charCodeAt(from) === QUOTE) return this.#readText()
    let value = 0
    for (; this.#at < this.#end; this.#at++) {
      const sign = this.#text.charCodeAt(this.#at)
      if (sign < ZERO || sign > NINE) break
      value = value * 10 + sign - ZERO
    }
    const digits = this.#at - from
    // JSON has no number that begins with 0 and goes on.
    if (digits === 0 || digits > MOST_DIGITS || (digits > 1 && this.#text.charCodeAt(from) === ZERO))
      this.#isUsual = false
    return value
  }

  // Passes over a name whose first quote was taken, and the colon behind it.
  #takeName(name: string): boolean {
    if (!this.#text.startsWith(name, this.#at)) return false
    this.#at += name.length
    this.#expect(COLON)
    return true
  }

  // Passes over a sign, and the blanks before it, where it stands next.
  #take(sign: number): boolean {
    if (this.#at < this.#end && this.#text.charCodeAt(this.#at) !== sign) this.#passBlanks()
    if (this.#at >= this.#end || this.#text.charCodeAt(this.#at) !== sign) return false
    this.#at++
    return true
  }

  #expect(sign: number): void {
    if (!this.#take(sign)) this.#isUsual = false
  }

  #passBlanks(): void {
    while (this.#at < this.#end) {
      const sign = this.#text.charCodeAt(this.#at)
      if (sign !== BLANK && sign !== TAB && sign !== RETURN) return
      this.#at++
    }
  }
}
