/**
 * How wide is an output stream, and may it carry colours?
 *
 * A pipe has no width and no colours: what is printed there is for programs, and is never wrapped. On a terminal, in this order: `--color` or
 * `--no-color`; `NO_COLOR`, where it is not empty (no-color.org); `FORCE_COLOR`, which colours a pipe too unless it is `0` or `false`; `TERM=dumb`.
 */
import { styleText } from "node:util"

/** The width and the colours of one stream. */
export interface Screen {
  /** The number of columns; null if nothing is wrapped. */
  readonly columns: number | null
  readonly hasColours: boolean
}

/** Standard output and standard error. */
export interface Screens {
  readonly stdout: Screen
  readonly stderr: Screen
}

/** A pipe or a file. */
export const NO_SCREEN: Screen = { columns: null, hasColours: false }

export interface Stream {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

/** The width of a terminal that does not say how wide it is. */
const USUAL_COLUMNS = 80

/** Finds the width and the colours of a stream. */
export function readScreen(stream: Stream, env: Environment, args: readonly string[]): Screen {
  const isTerminal = stream.isTTY === true
  const columns = stream.columns || Number.parseInt(env.COLUMNS ?? "", 10) || USUAL_COLUMNS
  return { columns: isTerminal ? columns : null, hasColours: readAsked(args) ?? readColours(isTerminal, env) }
}

/** The words before `--`: what follows it is never a flag. */
export const listFlags = (args: readonly string[]): readonly string[] => {
  const end = args.indexOf("--")
  return (end < 0 ? args : args.slice(0, end)).filter(arg => arg.startsWith("-"))
}

function readAsked(args: readonly string[]): boolean | undefined {
  const asked = listFlags(args).findLast(flag => flag === "--color" || flag === "--no-color")
  return asked === undefined ? undefined : asked === "--color"
}

function readColours(isTerminal: boolean, env: Environment): boolean {
  const { NO_COLOR: none = "", FORCE_COLOR: forced = "", TERM: term } = env
  if (none !== "") return false
  if (forced !== "" && forced !== "0" && forced !== "false") return true
  return isTerminal && term !== "dumb"
}

export type Colour = "bold" | "dim" | "red" | "green" | "yellow" | "cyan" | "magenta"

/** Colours a text, if colours are shown. */
export const paint = ({ hasColours }: Screen, colour: Colour, text: string): string =>
  hasColours ? styleText(colour, text, { validateStream: false }) : text

/** The colour of a requirement: the easier, the greener. */
const COLOURS: Readonly<Record<string, Colour>> = {
  visa_free: "green",
  eta: "cyan",
  visa_on_arrival: "cyan",
  e_visa: "yellow",
  visa_required: "red",
  no_admission: "magenta",
}

/** Colours a requirement's word. */
export const paintRequirement = (screen: Screen, requirement: string, text: string = requirement): string => {
  const colour = COLOURS[requirement]
  return colour === undefined ? text : paint(screen, colour, text)
}

const WORDS = new RegExp(`\\b(?:${Object.keys(COLOURS).join("|")})\\b`, "g")

/** Colours the requirements in a text. */
export const paintWords = (screen: Screen, text: string): string =>
  screen.hasColours ? text.replace(WORDS, word => paintRequirement(screen, word)) : text

/** Colours the cells of a table: the head stands out, and requirements have their own colours. */
export const paintCells =
  (screen: Screen) =>
  (text: string, { row }: { readonly row: number }): string =>
    row < 0 ? paint(screen, "bold", text) : paintWords(screen, text)
