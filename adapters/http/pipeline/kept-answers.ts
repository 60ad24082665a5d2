/**
 * Which answers are kept so that they need not be made again?
 *
 * The same question has the same answer while the dataset is the same, so a row may name the parameters on which its answer depends and
 * have it kept, compressed too after the first request for that. The memory of all endpoints is bounded together: if there are too many,
 * all are dropped.
 */
import type { Dataset } from "../../../src/engine.ts"
import type { Answer } from "./http-answer.ts"

/** How many bytes all endpoints keep. */
const KEPT_BYTES = 67_108_864
/** What an answer takes beside its body and its name: its objects and its headers. */
const ANSWER_BYTES = 1_024
/** V8 takes one byte for each character, or two if one of them is not in Latin-1. */
const CHARACTER_BYTES = 2

export interface KeptAnswer extends Answer {
  readonly body: string
  /** The same body as bytes, by content encoding; a promise while it is being made. */
  readonly encoded: Map<string, Uint8Array | Promise<Uint8Array>>
  readonly keptIn: KeptAnswers
}

export const isKept = (answer: Answer): answer is KeptAnswer => "keptIn" in answer

/** The answers of all endpoints, for the dataset of one day. */
export class KeptAnswers {
  readonly #maximumBytes: number
  readonly #byEndpoint = new Map<object, Map<string, KeptAnswer>>()
  #dataset: Dataset | undefined
  #bytes = 0

  constructor(maximumBytes: number = KEPT_BYTES) {
    this.#maximumBytes = maximumBytes
  }

  find(endpoint: object, dataset: Dataset, question: string): KeptAnswer | undefined {
    return dataset === this.#dataset ? this.#byEndpoint.get(endpoint)?.get(question) : undefined
  }

  /** Keeps an answer and returns the kept one: of several made in parallel, the first. */
  keep(endpoint: object, dataset: Dataset, question: string, answer: Answer & { readonly body: string }): KeptAnswer {
    const before = this.find(endpoint, dataset, question)
    if (before !== undefined) return before
    if (dataset !== this.#dataset || this.#bytes > this.#maximumBytes) {
      this.#byEndpoint.clear()
      this.#bytes = 0
      this.#dataset = dataset
    }
    this.#bytes += ANSWER_BYTES + CHARACTER_BYTES * (question.length + answer.body.length)
    const kept: KeptAnswer = { ...answer, encoded: new Map(), keptIn: this }
    const ofEndpoint = this.#byEndpoint.get(endpoint) ?? new Map<string, KeptAnswer>()
    this.#byEndpoint.set(endpoint, ofEndpoint.set(question, kept))
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
    this.#bytes += bytes.length
    answer.encoded.set(encoding, bytes)
  }
}
