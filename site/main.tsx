/**
 * Where the page begins: the language is loaded, the address read, and the first view drawn.
 *
 * A host may offer a newer dataset than the one in the page by a `<meta name="landfall-dataset" content="…">`; it is opened whole or not at
 * all. The service worker is registered once the page is shown, so that it takes nothing from the first view.
 */
import { openDataset } from "landfall"
import { render } from "preact"
import { readAddress } from "./address.ts"
import { replaceDataset } from "./answers.ts"
import { keptChoice } from "./kept-choices.ts"
import { chooseLanguage } from "./language/languages.ts"
import { loadWords } from "./language/words.ts"
import { registerServiceWorker } from "./offline.ts"
import { PageFrame } from "./page-frame.tsx"

async function openOfferedDataset(): Promise<void> {
  const address = document.querySelector<HTMLMetaElement>('meta[name="landfall-dataset"]')?.content
  if (address === undefined || address === "") return
  const response = await fetch(address)
  if (!response.ok) return
  const opened = openDataset(new Uint8Array(await response.arrayBuffer()))
  if (opened.ok) replaceDataset(opened.value)
}

async function start(): Promise<void> {
  const { language } = readAddress(location.hash)
  const chosen = chooseLanguage(language ?? keptChoice("language"), navigator.languages)
  // Without the offered dataset the one in the page answers; its version is named at the foot of every view.
  const [words] = await Promise.all([loadWords(chosen), openOfferedDataset().catch(() => undefined)])
  const root = document.getElementById("page")
  if (root === null) return
  root.replaceChildren()
  render(<PageFrame first={words} />, root)
  registerServiceWorker()
}

void start()
