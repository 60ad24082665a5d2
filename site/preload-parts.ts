/**
 * Which files does a view need?
 *
 * The build writes them into the page by name. They are asked for at once; otherwise a browser asks for each when the file that imports it has
 * arrived, which takes a slow network five times as long.
 */
const LISTS = 'meta[name="landfall-parts"]'

/** Asks for everything that is imported by what the names stand for: views, and the words of records. */
export function preloadParts(names: readonly string[]): void {
  const lists = document.querySelector<HTMLMetaElement>(LISTS)?.content.split(";") ?? []
  const root = document.querySelector<HTMLScriptElement>('script[type="module"]')?.src
  for (const list of lists) {
    const [name = "", ...paths] = list.split(" ")
    if (!names.includes(name)) continue
    for (const path of paths) {
      const link = document.createElement("link")
      link.rel = "modulepreload"
      link.href = new URL(path, root).href
      document.head.append(link)
    }
  }
}
