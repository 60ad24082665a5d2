/**
 * How do the parts of the service differ?
 *
 * Such a part, a surface, is a value. The pipeline finds problems, in the specified order; the surface defines the texts and the shape of
 * an error's body. `admission.ts` defines where its callers put their key and how it names its limits.
 */

import type { RequestIssue } from "../../validation/fields.ts"
import type { Answer } from "./http-answer.ts"

/** Problems of a request before its question is read. */
export type Problem =
  | { readonly kind: "bad_request"; readonly issues: readonly RequestIssue[] }
  | { readonly kind: "no_such_path" }
  | { readonly kind: "wrong_method"; readonly allow: string }
  | { readonly kind: "too_large"; readonly maximumBytes: number }
  | { readonly kind: "unsupported_encoding" }
  | { readonly kind: "not_readable" }
  | { readonly kind: "bad_idempotency_key"; readonly given: string }
  | { readonly kind: "idempotency_key_reused" }
  | { readonly kind: "idempotency_key_in_use" }
  | { readonly kind: "too_often"; readonly message: string; readonly retryAfterSeconds: number }
  | { readonly kind: "unavailable"; readonly message: string; readonly retryAfterSeconds: number }
  | { readonly kind: "fault" }

/** The parts of the service that report errors in their own way. */
export type SurfaceName = "visa" | "lookup" | "spots" | "operations"

/** Renders a problem as a surface does. */
export type AnswerProblem = (problem: Problem, requestId: string) => Answer
