/**
 * Does the host of the page answer from another dataset than the one in the page?
 *
 * `landfall serve` says by a `<meta name="landfall-dataset" content="…">` where it is to be had; a static host says nothing, and nothing is asked.
 * The dataset is opened whole or not at all. The first view waits for it a moment, so that nobody sees one answer and then another; one that
 * comes later takes its place when it comes. Without it the dataset in the page answers, and the foot of every view says so.
 */
import { openDataset } from "landfall"
import { replaceDataset } from "./answers.ts"

/** How long the first view waits. */
const PATIENCE_MS = 3_000

let hasFailed = false

/** Says whether another dataset was offered and could not be had. */
export function isOfferUnmet(): boolean {
  return hasFailed
}

async function openOffered(address: string): Promise<void> {
  const response = await fetch(address)
  // The host answers from the very dataset that is in the page.
  if (response.status === 204) return
  if (!response.ok) throw new Error(`The dataset was answered with ${response.status}.`)
  const opened = openDataset(new Uint8Array(await response.arrayBuffer()))
  if (!opened.ok) throw new Error(opened.error.message)
  hasFailed = false
  replaceDataset(opened.value)
}

/** Where the host offers a dataset; null where it offers none. */
export function findOffer(): string | null {
  const address = document.querySelector<HTMLMetaElement>('meta[name="landfall-dataset"]')?.content ?? ""
  return address === "" ? null : new URL(address, document.baseURI).href
}

/** Opens the dataset that is offered, if any; ends after a moment, whatever came of it. */
export async function takeOfferedDataset(): Promise<void> {
  const address = findOffer()
  if (address === null) return
  const taken = openOffered(address).catch(() => {
    hasFailed = true
  })
  const patience = new Promise<void>(resolve => setTimeout(resolve, PATIENCE_MS))
  await Promise.race([taken, patience])
}
