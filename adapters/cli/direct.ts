/**
 * Which calls are answered before the command line is loaded?
 *
 * `--version`, `check` and `find`, called in the plainest way: loading the parser, its services and every flag costs more than
 * these answers do. Any other call, such as one with a rare flag or a wrong word, is left to the whole command line, which
 * answers with the same functions, so that mistakes are described only there. `test/cli/direct.test.ts` compares the two.
 */
import { type ParseArgsConfig, parseArgs } from "node:util"
import { describeFileError } from "../files/file-errors.ts"
import { VERSION } from "../settings/package-version.ts"
import type { Call } from "./check-pair.ts"
import { readScreen, type Stream } from "./print.ts"

/** Answers a call; null where the whole command line has to. */
export async function answerAtOnce(
  args: readonly string[],
  stdout: Stream,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  const [name = "", ...rest] = args
  if (rest.length === 0 && (name === "--version" || name === "-v")) return `landfall v${VERSION}`
  if (name !== "check" && name !== "find") return null
  const call = readCall(rest)
  if (call === null) return null
  const answers = await import("./check-pair.ts")
  return answers[name](call, readScreen(stdout, env, args))
}

const OPTIONS = {
  on: { type: "string" },
  json: { type: "boolean" },
  color: { type: "boolean" },
  "no-color": { type: "boolean" },
} as const satisfies ParseArgsConfig["options"]

function readCall(args: readonly string[]): Call | null {
  try {
    const { values, positionals, tokens } = parseArgs({
      args: [...args],
      options: OPTIONS,
      allowPositionals: true,
      tokens: true,
    })
    const flags = tokens.flatMap(token => (token.kind === "option" ? [token.name.replace(/^no-/, "")] : []))
    if (new Set(flags).size < flags.length) return null
    return { words: positionals, on: values.on, json: values.json ?? false }
  } catch {
    return null
  }
}

/** Ends the process with 1 if the standard output cannot be written, and silently if its reader has closed it. */
export function watchOutput(): void {
  process.stdout.on("error", (cause: NodeJS.ErrnoException) => {
    // The reader has closed the pipe, as `head` does.
    if (cause.code === "EPIPE") return
    process.stderr.write(`stdout: ${describeFileError(cause)}\n`)
    process.exitCode = 1
  })
}
