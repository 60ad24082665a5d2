/** A call of the command line that is answered before its parser is loaded. */
export interface Call {
  readonly words: readonly string[]
  readonly on: string | undefined
  readonly json: boolean
}
