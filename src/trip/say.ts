/**
 * How does a sentence with parameters become text?
 *
 * A sentence is a text with placeholders, the same in every language. `{days days}` writes a parameter as a kind of value; `{purposes purpose or}`
 * joins a list with a word of its own language. `[one|other]` writes the first part whose parameters are all given, and `[one]` also nothing.
 * `{held?}` and `{because=ended}` write nothing and only choose a part. `{>document}` includes a part that several sentences share. A speaker
 * knows the texts, the words and the values of one language; this file knows none.
 */

/** The parameters of a sentence. */
type Params = Readonly<Record<string, unknown>>

/** One language, as sentences need it. */
export interface Speaker {
  /** Returns a part that sentences share. */
  readonly readPart: (name: string) => Sentence
  /** Writes a value as a kind; an empty text for a value without words. */
  readonly write: (value: unknown, kind: string, params: Params) => string
  /** Joins a list; `word` stands before the last item. */
  readonly join: (items: readonly string[], word: string | undefined) => string
}

// All have the same fields, so that V8 reads them by place.
interface Placeholder {
  /** The parameter, or the part that is included. */
  readonly name: string
  readonly kind: string
  readonly word: string | undefined
  /** What the parameter has to be; null if any value will do. Undefined if the value is written. */
  readonly test: string | number | null | undefined
  /** The parts of which the first is written whose parameters are all given; null for other placeholders. */
  readonly choices: readonly Sentence[] | null
}

/** A sentence that was read. */
export type Sentence = readonly (string | Placeholder)[]

const PART = ">"

const parsed = /* @__PURE__ */ new Map<string, Sentence>()

/** Reads a sentence, once for each text. Fails with a `SyntaxError` for a bracket or a brace that is not closed. */
export function parseSentence(text: string): Sentence {
  const known = parsed.get(text)
  if (known !== undefined) return known
  const tokens = text.split(/(\{[^{}]*\}|[[\]|])/)
  const [pieces, end] = parseFrom(tokens, 0, false)
  if (end < tokens.length || /[{}]/.test(text.replace(/\{[^{}]*\}/g, ""))) throw new SyntaxError(`Not closed: ${text}`)
  parsed.set(text, pieces)
  return pieces
}

function parseFrom(tokens: readonly string[], from: number, isInside: boolean): readonly [Sentence, number] {
  const pieces: (string | Placeholder)[] = []
  let at = from
  while (at < tokens.length) {
    const token = tokens[at]!
    if (isInside && (token === "|" || token === "]")) return [pieces, at]
    if (token === "]") return [pieces, at]
    at++
    if (token === "[") {
      const choices: Sentence[] = []
      do {
        const [choice, end] = parseFrom(tokens, at, true)
        choices.push(choice)
        at = end + 1
      } while (tokens[at - 1] === "|")
      if (at > tokens.length) throw new SyntaxError(`Not closed: ${tokens.join("")}`)
      pieces.push({ name: "", kind: "", word: undefined, test: undefined, choices })
    } else if (token[0] === "{") pieces.push(readPlaceholder(token.slice(1, -1)))
    else if (token !== "") pieces.push(token)
  }
  return [pieces, at]
}

function readPlaceholder(inside: string): Placeholder {
  const [tested = "", test] = inside.split(/[?=]/)
  const [first = "", second = "text", word] = tested.split(" ")
  const isPart = inside[0] === PART
  return {
    name: asName(isPart ? first.slice(1) : first),
    kind: isPart ? PART : asName(second),
    word,
    test: test === undefined ? undefined : inside.includes("=") ? readTest(test) : null,
    choices: null,
  }
}

const readTest = (test: string) => (/^\d+$/.test(test) ? Number(test) : asName(test))

// V8 compares names of fields by their address, and copies of their letters only one by one.
const asName = (text: string) => Object.keys({ [text]: 0 })[0]!

/** Writes a sentence with its parameters; an empty text if one of them is missing. */
export function writeSentence(sentence: Sentence, params: Params, speaker: Speaker): string {
  const draft: Draft = { text: "", last: "" }
  return write(sentence, params, speaker, draft) ? draft.text : ""
}

/** What was written, with its last piece: V8 would copy the text to read its end. */
interface Draft {
  text: string
  last: string
}

function append(draft: Draft, said: string): void {
  // A date or a remark may end with a full stop of its own.
  draft.text += said.charCodeAt(0) === FULL_STOP && draft.last.endsWith(".") ? said.slice(1) : said
  draft.last = said
}

const FULL_STOP = 0x2e

// False if a parameter is missing, or is another one than asked for.
function write(sentence: Sentence, params: Params, speaker: Speaker, draft: Draft): boolean {
  for (let at = 0; at < sentence.length; at++) {
    const piece = sentence[at]!
    if (typeof piece === "string") append(draft, piece)
    else if (!writePiece(piece, params, speaker, draft)) return false
  }
  return true
}

function writePiece(piece: Placeholder, params: Params, speaker: Speaker, draft: Draft): boolean {
  const { name, kind, test, choices } = piece
  if (choices !== null) {
    const { text, last } = draft
    for (let at = 0; at < choices.length; at++) {
      if (write(choices[at]!, params, speaker, draft)) return true
      draft.text = text
      draft.last = last
    }
    return choices.length === 1
  }
  if (kind === PART) return write(speaker.readPart(name), params, speaker, draft)
  const value = params[name]
  if (test !== undefined) return test === null ? value != null : value === test
  // A stay without a number of days has words too.
  if (value == null && kind !== "stay") return false
  const said = Array.isArray(value) ? writeList(piece, value, params, speaker) : speaker.write(value, kind, params)
  if (said === "") return false
  append(draft, said)
  return true
}

function writeList({ kind, word }: Placeholder, values: readonly unknown[], params: Params, speaker: Speaker): string {
  const said: string[] = []
  for (let at = 0; at < values.length; at++) {
    const each = speaker.write(values[at], kind, params)
    if (each !== "" && !said.includes(each)) said.push(each)
  }
  return said.length > 1 ? speaker.join(said, word) : (said[0] ?? "")
}

/**
 * Lists the parameters that a sentence writes, with those of the parts that it includes; null for a bracket or a brace that is not closed, and
 * for an unknown part.
 *
 * @example
 * ```ts
 * listPlaceholders("Until {by date}[: {>counted}].", { counted: "{days days}" }) // => ["by", "days"]
 * ```
 */
export function listPlaceholders(text: string, parts: Readonly<Record<string, unknown>>): readonly string[] | null {
  const names = new Set<string>()
  const add = (sentence: Sentence): void => {
    for (const piece of sentence) {
      if (typeof piece === "string") continue
      const { name, kind, test, choices } = piece
      if (choices !== null) for (const choice of choices) add(choice)
      else if (kind === PART) add(parseSentence(parts[name] as string))
      else if (test === undefined) names.add(name)
    }
  }
  try {
    add(parseSentence(text))
    return [...names].sort()
  } catch {
    return null
  }
}
