/**
 * Which files does the address ask for?
 *
 * This is written into the page itself, so that a browser asks for the files of the view, of the language and of the destination together
 * with the first scripts. Otherwise it asks for each when the file that imports it has arrived, which takes a slow network five times as long.
 * The build writes their names into the page.
 */

import { PATHS } from "./address.ts"
import { keptChoice } from "./kept-choices.ts"
import { chooseLanguage } from "./language/languages.ts"

/** Opens the view of an address that the service wrote; an existing part after `#` has priority. */
function takeWrittenAddress(): void {
  const written = document.querySelector<HTMLMetaElement>('meta[name="landfall-view"]')?.content
  if (written === undefined) return
  const [root = "", view = ""] = written.split("#")
  const asked = location.hash.length > 1 ? location.hash.slice(1) : view
  const lang = new URLSearchParams(location.search).get("lang")
  const isSaid = lang === null || /[?&]lang=/.test(asked)
  const address = isSaid ? asked : `${asked}${asked.includes("?") ? "&" : "?"}lang=${lang}`
  history.replaceState(null, "", `${root}#${address}`)
}

/** Names what is imported later: views, the words of the page and of records, and countries. */
function nameParts(): readonly string[] {
  const [path = "", query = ""] = location.hash.replace(/^#?\/?/, "").split("?", 2)
  const given = new URLSearchParams(query)
  const language = chooseLanguage(given.get("lang") ?? keptChoice("language"), navigator.languages)
  const words = `words-${language}`
  const isPair = /^[A-Z]{3}\/[A-Z]{3}$/.test(path)
  const to = isPair ? path.slice(4) : given.get("to")
  const view = Object.entries(PATHS).find(([, of]) => of === path)?.[0]
  if (view !== undefined) return [view, words]
  if (!isPair && !given.has("people")) return ["ask", words]
  return to === null ? ["anywhere", words] : ["pair", words, to]
}

function requestParts(): void {
  const lists = document.querySelector<HTMLMetaElement>('meta[name="landfall-parts"]')?.content.split(";") ?? []
  const names = nameParts()
  for (const list of lists) {
    const [name = "", ...files] = list.split(" ")
    const isCountry = files.length === 0
    if (!names.includes(isCountry ? name.slice(0, 3) : name)) continue
    for (const file of isCountry ? [name] : files) {
      const link = document.createElement("link")
      link.rel = "modulepreload"
      link.href = `parts/${file}.js`
      document.head.append(link)
    }
  }
}

takeWrittenAddress()
requestParts()
