/** One mistake in a request. */
export interface RequestIssue {
  /** The field, for example `stops[2].from`; empty where all of the request is meant. */
  readonly path: string
  readonly message: string
}
