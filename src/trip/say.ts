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
  /** Returns the text of a shared part. */
  readonly readPart: (name: string) => string
  /** Writes a value as a kind; an empty text for a value without words. */
  readonly write: (value: unknown, kind: string, params: Params) => string
  /** Joins a list; `word` stands before the last item. */
  readonly join: (items: readonly string[], word: string | undefined) => string
}

interface Placeholder {
  readonly name: string
  readonly kind: string
  readonly word?: string | undefined
  /** What the parameter has to be; null if any value will do. Absent if the value is written. */
  readonly test?: string | null
}

type Piece = string | Placeholder | { readonly part: string } | { readonly choices: readonly (readonly Piece[])[] }

const parsed = /* @__PURE__ */ new Map<string, readonly Piece[]>()

/** Reads a sentence, once for each text. Fails with a `SyntaxError` for a bracket or a brace that is not closed. */
function parseSentence(text: string): readonly Piece[] {
  const known = parsed.get(text)
  if (known !== undefined) return known
  const tokens = text.split(/(\{[^{}]*\}|[[\]|])/)
  const [pieces, end] = parseFrom(tokens, 0, false)
  if (end < tokens.length || /[{}]/.test(text.replace(/\{[^{}]*\}/g, ""))) throw new SyntaxError(`Not closed: ${text}`)
  parsed.set(text, pieces)
  return pieces
}

function parseFrom(tokens: readonly string[], from: number, isInside: boolean): readonly [readonly Piece[], number] {
  const pieces: Piece[] = []
  let at = from
  while (at < tokens.length) {
    const token = tokens[at]!
    if (isInside && (token === "|" || token === "]")) return [pieces, at]
    if (token === "]") return [pieces, at]
    at++
    if (token === "[") {
      const choices: (readonly Piece[])[] = []
      do {
        const [choice, end] = parseFrom(tokens, at, true)
        choices.push(choice)
        at = end + 1
      } while (tokens[at - 1] === "|")
      if (at > tokens.length) throw new SyntaxError(`Not closed: ${tokens.join("")}`)
      pieces.push({ choices })
    } else if (token[0] === "{") pieces.push(readPlaceholder(token.slice(1, -1)))
    else if (token !== "") pieces.push(token)
  }
  return [pieces, at]
}

function readPlaceholder(inside: string): Piece {
  if (inside[0] === ">") return { part: inside.slice(1) }
  const [name = "", test] = inside.split(/[?=]/)
  if (test !== undefined) return { name, kind: "", test: inside.includes("=") ? test : null }
  const [value = "", kind = "text", word] = inside.split(" ")
  return { name: value, kind, word }
}

/** Writes a sentence with its parameters; an empty text if one of them is missing. */
export function writeSentence(text: string, params: Params, speaker: Speaker): string {
  return write(parseSentence(text), params, speaker) ?? ""
}

// Null if a parameter is missing, or is another one than asked for.
function write(pieces: readonly Piece[], params: Params, speaker: Speaker): string | null {
  let text = ""
  for (const piece of pieces) {
    const said = typeof piece === "string" ? piece : writePiece(piece, params, speaker)
    if (said === null) return null
    // A date or a remark may end with a full stop of its own.
    text += said.startsWith(".") && text.endsWith(".") ? said.slice(1) : said
  }
  return text
}

function writePiece(piece: Exclude<Piece, string>, params: Params, speaker: Speaker): string | null {
  if ("choices" in piece) {
    for (const choice of piece.choices) {
      const said = write(choice, params, speaker)
      if (said !== null) return said
    }
    return piece.choices.length === 1 ? "" : null
  }
  if ("part" in piece) return write(parseSentence(speaker.readPart(piece.part)), params, speaker)
  const { name, kind, word, test } = piece
  const value = params[name]
  if (test !== undefined) return test === null ? (value == null ? null : "") : String(value) === test ? "" : null
  // A stay without a number of days has words too.
  if (value == null && kind !== "stay") return null
  if (!Array.isArray(value)) return speaker.write(value, kind, params) || null
  const said = [...new Set(value.map(each => speaker.write(each, kind, params)))].filter(each => each !== "")
  return said.length === 0 ? null : said.length === 1 ? said[0]! : speaker.join(said, word)
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
  const add = (pieces: readonly Piece[]): void => {
    for (const piece of pieces) {
      if (typeof piece === "string") continue
      if ("choices" in piece) for (const choice of piece.choices) add(choice)
      else if ("part" in piece) add(parseSentence(parts[piece.part] as string))
      else if (piece.test === undefined) names.add(piece.name)
    }
  }
  try {
    add(parseSentence(text))
    return [...names].sort()
  } catch {
    return null
  }
}
