/**
 * How does a part of the service speak?
 *
 * A surface is a value. The pipeline finds out what is wrong and in which order that is looked at; the words and the shape of an error's
 * body belong to the surface. Where its callers put their key and how it names its limits is in `key-rules.ts`.
 */
import type { Answer } from "./answer.ts"
import type { RequestIssue } from "./parameters.ts"

/** What can be wrong with a request before anybody has looked at what it asks. */
export type Problem =
  | { readonly kind: "bad_request"; readonly issues: readonly RequestIssue[] }
  | { readonly kind: "no_such_path" }
  | { readonly kind: "wrong_method"; readonly allow: string }
  | { readonly kind: "too_large"; readonly maximumBytes: number }
  | { readonly kind: "not_readable" }
  | { readonly kind: "bad_idempotency_key"; readonly given: string }
  | { readonly kind: "idempotency_key_reused" }
  | { readonly kind: "idempotency_key_in_use" }
  | { readonly kind: "unavailable"; readonly message: string; readonly retryAfterSeconds: number }
  | { readonly kind: "fault" }

/** The parts of the service that speak in their own way. */
export type SurfaceName = "visa" | "lookup" | "spots" | "operations"

/** Renders what is wrong as a surface does. */
export type AnswerProblem = (problem: Problem, requestId: string) => Answer
