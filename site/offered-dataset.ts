/**
 * Does the host of the page use another dataset than the one in the page?
 *
 * `landfall serve` gives its address in a `<meta name="landfall-dataset" content="…">`; with a static host there is none, and nothing is
 * requested. The dataset is opened completely or not at all. The first view waits a moment for it, so that the reader does not see one
 * answer and then another; if it comes later, it then replaces the page's own. Without it the dataset in the page is used, and the foot of
 * every view says so.
 */
import { replaceDataset } from "./answers.ts"

/** How long the first view waits. */
const PATIENCE_MS = 3_000

let hasFailed = false

/** Says whether another dataset was offered and could not be loaded. */
export function isOfferUnmet(): boolean {
  return hasFailed
}

async function openOffered(address: string): Promise<void> {
  const response = await fetch(address)
  // The host answers from the dataset that is in the page.
  if (response.status === 204) return
  if (!response.ok) throw new Error(`The dataset was answered with ${response.status}.`)
  const { openOffer } = await import("./open-offer.ts")
  const opened = openOffer(new Uint8Array(await response.arrayBuffer()))
  if (!opened.ok) throw new Error(opened.error.message)
  hasFailed = false
  replaceDataset(opened.value)
}

/** The address of the dataset that the host offers; null where it offers none. */
export function findOffer(): string | null {
  const address = document.querySelector<HTMLMetaElement>('meta[name="landfall-dataset"]')?.content ?? ""
  return address === "" ? null : new URL(address, document.baseURI).href
}

/** Opens the offered dataset, if any; ends after a moment in any case. */
export async function takeOfferedDataset(): Promise<void> {
  const address = findOffer()
  if (address === null) return
  const taken = openOffered(address).catch(() => {
    hasFailed = true
  })
  const patience = new Promise<void>(resolve => setTimeout(resolve, PATIENCE_MS))
  await Promise.race([taken, patience])
}
