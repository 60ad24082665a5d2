/**
 * The search of the documentation, in the browser.
 *
 * The index is a script beside the pages, loaded when somebody goes to the field: a page that was opened as a file may not fetch anything, but it may load
 * scripts. Without scripts there is no field, and the list of pages remains.
 */
import MiniSearch from "minisearch"
import { type Entry, INDEX_OPTIONS, SEARCH_OPTIONS } from "./search-terms.ts"

declare global {
  /** Set by search-index.js: the index as JSON. */
  var landfallSearchIndex: string | undefined
}

const SHOWN_MAX = 12

const place = document.querySelector<HTMLElement>("search")
const field = document.querySelector<HTMLInputElement>("#query")
const found = document.querySelector<HTMLElement>("#found")
const count = found?.querySelector<HTMLElement>("[role=status]")
const list = found?.querySelector<HTMLElement>("ol")

let loading: Promise<MiniSearch<Entry>> | null = null

function loadIndex(): Promise<MiniSearch<Entry>> {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script")
    script.src = "search-index.js"
    script.onload = () => resolve(MiniSearch.loadJSON<Entry>(globalThis.landfallSearchIndex ?? "", INDEX_OPTIONS))
    script.onerror = () => {
      loading = null
      reject(new Error("search-index.js could not be loaded"))
    }
    document.head.append(script)
  })
  return loading
}

function makeItem({ id, page, heading }: { id: string; page?: string; heading?: string }): HTMLElement {
  const item = document.createElement("li")
  const link = document.createElement("a")
  link.href = id
  link.textContent = heading ?? id
  const where = document.createElement("span")
  where.textContent = page ?? ""
  link.append(where)
  item.append(link)
  return item
}

async function search(): Promise<void> {
  if (field === null || found === null || count == null || list == null) return
  const asked = field.value.trim()
  if (asked === "") {
    found.hidden = true
    return
  }
  try {
    const index = await loadIndex()
    if (field.value.trim() !== asked) return
    const results = index.search(asked, SEARCH_OPTIONS)
    const shown = results.slice(0, SHOWN_MAX) as unknown as readonly { id: string; page: string; heading: string }[]
    list.replaceChildren(...shown.map(makeItem))
    const sections = results.length === 1 ? "1 section" : `${results.length} sections`
    count.textContent = results.length === 0 ? `Nothing has all of these words: ${asked}` : `${sections} found`
  } catch {
    list.replaceChildren()
    count.textContent = "The index of the search could not be loaded."
  }
  found.hidden = false
}

function close(): void {
  if (found !== null) found.hidden = true
}

if (place !== null && field !== null) {
  place.hidden = false
  field.addEventListener("focus", () => void loadIndex().catch(() => undefined), { once: true })
  field.addEventListener("input", () => void search())
  place.addEventListener("keydown", event => {
    if (event.key !== "Escape") return
    close()
    field.focus()
  })
  document.addEventListener("click", event => {
    if (!(event.target instanceof Node) || !place.contains(event.target) || found?.contains(event.target)) close()
  })
  document.addEventListener("keydown", event => {
    const isTyping = event.target instanceof HTMLInputElement
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    field.focus()
  })
}
