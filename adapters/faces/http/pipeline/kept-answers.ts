/**
 * Which answers are kept so that they need not be made again?
 *
 * The same question has the same answer while the dataset is the same, so a row may name the parameters on which its answer depends and
 * have it kept, compressed too after the first request for that. The memory is bounded: if there are too many, all are dropped.
 */
import type { Dataset } from "../../../../src/engine.ts"
import type { Answer } from "./answer.ts"

/** How many characters of bodies one endpoint keeps. */
const KEPT_CHARACTERS = 16_000_000

export interface KeptAnswer extends Answer {
  readonly body: string
  /** The same body as bytes, by content encoding; a promise while it is being made. */
  readonly encoded: Map<string, Uint8Array | Promise<Uint8Array>>
  readonly keptIn: KeptAnswers
}

export const isKept = (answer: Answer): answer is KeptAnswer => "keptIn" in answer

/** The answers of one endpoint, for the dataset of one day. */
export class KeptAnswers {
  #dataset: Dataset | undefined
  #characters = 0
  readonly #answers = new Map<string, KeptAnswer>()

  find(dataset: Dataset, question: string): KeptAnswer | undefined {
    return dataset === this.#dataset ? this.#answers.get(question) : undefined
  }

  /** Keeps an answer and returns the kept one: of several made in parallel, the first. */
  keep(dataset: Dataset, question: string, answer: Answer & { readonly body: string }): KeptAnswer {
    const before = this.find(dataset, question)
    if (before !== undefined) return before
    if (dataset !== this.#dataset || this.#characters > KEPT_CHARACTERS) {
      this.#answers.clear()
      this.#characters = 0
      this.#dataset = dataset
    }
    const kept: KeptAnswer = { ...answer, encoded: new Map(), keptIn: this }
    this.#answers.set(question, kept)
    this.#characters += answer.body.length
    return kept
  }

  /** Keeps a body as bytes with its answer, made once for all parallel requests. */
  async keepEncoded(answer: KeptAnswer, encoding: string, make: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const underWay = make()
    answer.encoded.set(encoding, underWay)
    try {
      const bytes = await underWay
      this.keepBytes(answer, encoding, bytes)
      return bytes
    } catch (cause) {
      answer.encoded.delete(encoding)
      throw cause
    }
  }

  /** Keeps existing bytes with their answer. */
  keepBytes(answer: KeptAnswer, encoding: string, bytes: Uint8Array): void {
    answer.encoded.set(encoding, bytes)
    this.#characters += bytes.length
  }
}
