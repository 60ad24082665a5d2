/** What is a request for the service, on any server? */

/** A request as a host passes it. */
export interface ServiceRequest {
  /** In capital letters. */
  readonly method: string
  /** As it was sent: nothing is decoded, because a path has one spelling. */
  readonly path: string
  /** The text after the question mark, or an empty text. */
  readonly search: string
  /** Reads a header by its name in lower case; several of one name are joined by commas. */
  readonly header: (name: string) => string | undefined
  /** The body as a stream, for a row with a body above the size limit; reading slowly slows down the client. */
  readonly openBody?: () => AsyncIterable<Uint8Array>
  /** The remote address of the socket; undefined if the host does not know it. */
  readonly socketAddress: string | undefined
}

/** Splits the target of a request, for example `/api/v1/visa?lang=fr`, at its question mark. */
export function splitTarget(target: string): { readonly path: string; readonly search: string } {
  const mark = target.indexOf("?")
  return mark < 0 ? { path: target, search: "" } : { path: target.slice(0, mark), search: target.slice(mark + 1) }
}
