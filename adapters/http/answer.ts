/**
 * What does the service say, before any server has a part in it?
 *
 * Every endpoint is one pure function to an {@link Answer}: a status, headers and a body that is ready to be sent. Both lanes and
 * every host send the same one, so that they cannot differ. Header names are in lower case and come as a flat list: name, value,
 * name, value, as Node takes them.
 */
import { HttpServerResponse } from "effect/http"

/** A whole answer. */
export interface Answer {
  readonly status: number
  readonly contentType: string
  readonly headers: readonly string[]
  readonly body: string
}

export const JSON_TYPE = "application/json"
export const MARKDOWN_TYPE = "text/markdown; charset=utf-8"

/** An answer with a JSON body. */
export function answerJson(status: number, body: unknown, headers: readonly string[] = []): Answer {
  return { status, contentType: JSON_TYPE, headers, body: JSON.stringify(body) }
}

/** For answers that are good for one client at one moment. */
export const NOT_STORED: readonly string[] = ["cache-control", "no-store"]

/** The plainest of all error bodies. */
export function answerError(status: number, error: string, headers: readonly string[] = []): Answer {
  return answerJson(status, { error }, [...NOT_STORED, ...headers])
}

/** The same answer with more headers. */
export function addHeaders<Given extends Answer>(answer: Given, headers: readonly string[]): Given {
  return { ...answer, headers: [...answer.headers, ...headers] }
}

/** Says whether an answer is counted against a quota: only what was of use is. */
export function isSuccess(answer: Answer): boolean {
  return answer.status >= 200 && answer.status < 300
}

/** A flat list of headers as a record. */
export function toHeaderRecord(headers: readonly string[]): Record<string, string> {
  const record: Record<string, string> = {}
  for (let at = 0; at < headers.length; at += 2) record[headers[at] as string] = headers[at + 1] as string
  return record
}

/** An answer as Effect's server sends it. */
export function toResponse({ status, contentType, headers, body }: Answer): HttpServerResponse.HttpServerResponse {
  return HttpServerResponse.text(body, { status, contentType, headers: toHeaderRecord(headers) })
}
