/**
 * The entry of the page: the language is loaded, the address read, and the first view drawn.
 *
 * The service worker is registered once the page is shown, so that it does not delay the first view.
 */
import { render } from "preact"
import { readAddress } from "./address.ts"
import { keptChoice } from "./kept-choices.ts"
import { chooseLanguage } from "./language/languages.ts"
import { loadWords } from "./language/words.ts"
import { findOffer, takeOfferedDataset } from "./offered-dataset.ts"
import { registerServiceWorker } from "./offline.ts"
import { PageFrame } from "./page-frame.tsx"
import { loadView } from "./view.tsx"

async function start(): Promise<void> {
  const { address, language } = readAddress(location.hash)
  const chosen = chooseLanguage(language ?? keptChoice("language"), navigator.languages)
  const [words] = await Promise.all([loadWords(chosen), takeOfferedDataset(), loadView(address)])
  const root = document.getElementById("page")
  if (root === null) return
  root.replaceChildren()
  render(<PageFrame first={words} />, root)
  if (document.documentElement.dataset.embedded === undefined) registerServiceWorker(findOffer())
}

// Only what comes before the first view ends here, perhaps before there are words: a view that throws says so itself.
start().catch((error: unknown) => {
  document.getElementById("page")?.replaceChildren(`Landfall could not start. Load the page again. (${String(error)})`)
  reportError(error)
})
