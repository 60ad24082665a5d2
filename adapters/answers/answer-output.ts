/**
 * Where is an answer written: into a text, or as UTF-8 into memory that is kept?
 *
 * Both take an answer piece by piece. Pieces that recur are made once, in the form of the output. Bytes are faster: a text of a hundred
 * pieces is copied together before it is sent. A text needs nothing from its runtime.
 */

/** An output; its pieces are texts, or bytes. */
export interface AnswerOutput<Piece> {
  /** How much was added. */
  readonly size: number
  add(piece: Piece): void
  /** Adds a text of ASCII as it is. */
  addPlain(text: string): void
  /** Adds a text as it is. */
  addText(text: string): void
  /** Adds a text as JSON. */
  addQuoted(text: string): void
  addNumber(value: number | null): void
  /** Returns what was added since a size, as a piece. */
  copyFrom(from: number): Piece
}

/** Collects an answer as a text. */
export class AnswerText implements AnswerOutput<string> {
  text = ""

  get size(): number {
    return this.text.length
  }

  add(piece: string): void {
    this.text += piece
  }

  addPlain(text: string): void {
    this.text += text
  }

  addText(text: string): void {
    this.text += text
  }

  addQuoted(text: string): void {
    this.text += quote(text)
  }

  addNumber(value: number | null): void {
    this.text += String(value)
  }

  // V8 keeps a joined text as a tree of its pieces until it is cut. Each answer would walk the tree of a kept text again.
  copyFrom(from: number): string {
    return ` ${this.text.slice(from)}`.slice(1)
  }
}

let quoted = new Map<string, string>()
let quotedBefore = quoted
/** Most sentences recur. Those with values of a request do not, so the texts that were used last are kept. */
const MOST_TEXTS = 1_000
const LONGEST_TEXT = 1_000

/** A text as JSON. */
export function quote(text: string): string {
  const known = quoted.get(text)
  if (known !== undefined) return known
  const made = quotedBefore.get(text) ?? JSON.stringify(text)
  if (text.length > LONGEST_TEXT) return made
  if (quoted.size === MOST_TEXTS) {
    quotedBefore = quoted
    quoted = new Map()
  }
  quoted.set(text, made)
  return made
}
