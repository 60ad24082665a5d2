/**
 * What does a page say, whatever its markup?
 *
 * Two readings of a page have the same digest if a reader sees the same words: markup, scripts, comments, the navigation and the foot of the
 * page, and white space do not count. What is not HTML, such as a PDF, is compared byte by byte.
 */
import { createHash } from "node:crypto"
import { Parser } from "htmlparser2"

/** Elements whose text nobody reads, or that stand on every page of a site. */
const LEFT_OUT = new Set(["script", "style", "noscript", "template", "svg", "nav", "footer"])

/** How deep elements may be nested; a parser searches all that are open for the one that a tag closes. */
const DEEPEST = 1_000

/** The text of HTML without white space; empty where scripts would have to write it, null where it is nested too deep to be read. */
export function readText(html: string): string | null {
  const texts: string[] = []
  let [open, leftOut] = [0, 0]
  const parser = new Parser({
    onopentagname: name => {
      open++
      if (LEFT_OUT.has(name)) leftOut++
      if (open > DEEPEST) parser.pause()
    },
    onclosetag: name => {
      open--
      if (LEFT_OUT.has(name)) leftOut--
    },
    ontext: text => {
      if (leftOut === 0) texts.push(text)
    },
  })
  parser.end(html)
  if (open > DEEPEST) return null
  return texts
    .join("")
    .normalize("NFKC")
    .replace(/[\s\u00ad\u200b-\u200f\u2060\ufeff]+/g, "")
}

/** Decodes a page as its server says, as UTF-8, or byte by byte, so that other bytes are always another text. */
function decode(bytes: Uint8Array, type: string): string {
  const [, named = "utf-8"] = /charset="?([\w-]{1,40})/i.exec(type) ?? []
  for (const charset of [named, "utf-8"]) {
    try {
      return new TextDecoder(charset, { fatal: true }).decode(bytes)
    } catch {
      // An unknown charset, or bytes that are not of it.
    }
  }
  return Buffer.from(bytes).toString("latin1")
}

/** The digest of what a page says; null if it says nothing. */
export function digestPage(bytes: Uint8Array, type: string): string | null {
  const isHtml = /^(text\/html|application\/xhtml\+xml)\b/i.test(type)
  const said = (isHtml ? readText(decode(bytes, type)) : null) ?? bytes
  return said.length === 0 ? null : createHash("sha256").update(said).digest("base64url")
}
