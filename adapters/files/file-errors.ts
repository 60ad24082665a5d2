/**
 * Why could a file not be read or written, in words that follow its name?
 *
 * The runtime gives the place of some mistakes in JSON only; this file finds it for all of them.
 */

/** Says in words why a file could not be read or written. */
export function describeFileError(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException
  if (code === "ENOENT") return "does not exist."
  if (code === "EACCES") return "may not be read or written."
  if (code === "EEXIST") return "exists already, and is not overwritten."
  return code === "EISDIR" ? "is a folder, a file is expected." : `cannot be read or written: ${message}`
}

/** Says why a text is not JSON, and on which line and in which column. */
export function describeJsonError(text: string, cause: unknown): string {
  const { message } = cause as Error
  if (/\(line \d+ column \d+\)$/.test(message)) return `is not JSON: ${message}`
  const lines = text.slice(0, findUnexpected(text)).split("\n")
  const [what] = message.split(/, (?:\.{3})?"/)
  return `is not JSON: ${what} (line ${lines.length} column ${(lines.at(-1) as string).length + 1})`
}

// Finds the unexpected token: it follows the longest beginning of the text that the parser accepts. If the text only stops too
// early, that is its end.
function findUnexpected(text: string): number {
  let [least, most] = [0, text.length]
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (meetsUnexpected(text.slice(0, middle))) most = middle - 1
    else least = middle
  }
  return least
}

function meetsUnexpected(text: string): boolean {
  try {
    JSON.parse(text)
    return false
  } catch (cause) {
    return (cause as Error).message.startsWith("Unexpected token")
  }
}
