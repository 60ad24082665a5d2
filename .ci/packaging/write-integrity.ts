/** Writes the hash of `dist/landfall.min.js` for subresource integrity, so that a page loads only that file. */
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"

const FILE = "landfall.min.js"

export const integrityOf = (bytes: Uint8Array): string =>
  `sha384-${createHash("sha384").update(bytes).digest("base64")}`

if (import.meta.main) {
  writeFileSync("dist/integrity.json", `${JSON.stringify({ [FILE]: integrityOf(readFileSync(`dist/${FILE}`)) })}\n`)
}
