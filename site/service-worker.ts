/**
 * Which parts of the page does the browser store, and which requests does the service worker answer?
 *
 * Only those for the page's own files, by the names under which they were built; everything else (an API on the same origin, its
 * documentation) goes to the network unchanged. One version is stored completely: a new one is installed next to it and takes over when the
 * last page of the old one is closed, so that a page never gets parts of another version. A dataset that the host offers is requested each
 * time, and the last one is stored separately from the versions for offline use.
 */
import { ALL_KEPT, type KeepAll } from "./offline.ts"

declare const BUILT: Readonly<Record<"first" | "rest", readonly string[]>> & { readonly version: string }

const { version, first, rest } = BUILT

/** The used parts of a service worker's scope, which the types of a page lack. */
interface WorkerEvent extends Event {
  readonly request: Request
  readonly data: unknown
  readonly source: { readonly postMessage: (message: unknown) => void } | null
  readonly waitUntil: (work: Promise<unknown>) => void
  readonly respondWith: (answer: Promise<Response>) => void
}

const worker = self as unknown as {
  readonly registration: { readonly scope: string }
  readonly addEventListener: (name: string, listener: (event: WorkerEvent) => void) => void
}

const PREFIX = "landfall-"
const NAME = PREFIX + version
const OFFERED = `${PREFIX}offered-dataset`
const OFFERED_ENDING = ".landfall"
/** Addresses that a service writes; without a network the page goes to their views by itself. */
const WRITTEN = /^(?:([A-Z]{3}\/[A-Z]{3})|passport\/([A-Z]{3}))(\?lang=[a-z]{2})?$/
const addressOf = (path: string) => new URL(path, worker.registration.scope).href
const ownAddresses = new Set([...first, ...rest].map(addressOf))

async function keep(paths: readonly string[]): Promise<void> {
  const cache = await caches.open(NAME)
  for (const address of paths.map(addressOf)) {
    if ((await cache.match(address)) === undefined) await cache.add(address)
  }
}

/** Keeps an answer for later; where there is no room, it is only returned. */
function keepAnswer(cache: Cache, address: string, response: Response): Promise<void> {
  return cache.put(address, response.clone()).catch(() => undefined)
}

async function answerOffered(request: Request): Promise<Response> {
  const cache = await caches.open(OFFERED)
  const response = await fetch(request).catch(() => null)
  if (response === null) return (await cache.match(request.url)) ?? Response.error()
  // The answer that the host uses the page's own dataset is kept too; the answer that it no longer offers one is not.
  if (response.status === 200 || response.status === 204) await keepAnswer(cache, request.url, response)
  else if (response.status === 403) await cache.delete(request.url)
  return response
}

async function dropOthers(): Promise<void> {
  const names = await caches.keys()
  await Promise.all(
    names.filter(name => name.startsWith(PREFIX) && name !== NAME && name !== OFFERED).map(name => caches.delete(name)),
  )
}

async function answer(address: string, request: Request): Promise<Response> {
  const cache = await caches.open(NAME)
  const kept = await cache.match(address)
  if (kept !== undefined) return kept
  const response = await fetch(request)
  if (response.ok) await keepAnswer(cache, address, response)
  return response
}

worker.addEventListener("install", event => event.waitUntil(keep(first)))
worker.addEventListener("activate", event => event.waitUntil(dropOthers()))
worker.addEventListener("message", event => {
  const { keep: what, offered } = event.data as KeepAll
  if (what !== "all") return
  const kept = Promise.all([keep(rest), offered === null ? null : answerOffered(new Request(offered))])
  event.waitUntil(kept.then(() => event.source?.postMessage(ALL_KEPT)))
})
worker.addEventListener("fetch", event => {
  const { request } = event
  if (request.method !== "GET") return
  const { origin, pathname } = new URL(request.url)
  if (request.url.startsWith(worker.registration.scope) && pathname.endsWith(OFFERED_ENDING)) {
    return event.respondWith(answerOffered(request))
  }
  const written = WRITTEN.exec(request.url.slice(worker.registration.scope.length))
  if (request.mode === "navigate" && request.url.startsWith(worker.registration.scope) && written !== null) {
    const [, pair, passport, query = ""] = written
    const view = pair === undefined ? `/?people=${passport}${query.replace("?", "&")}` : `/${pair}${query}`
    return event.respondWith(fetch(request).catch(() => Response.redirect(`${worker.registration.scope}#${view}`)))
  }
  // The page itself has two addresses.
  const address = origin + pathname === worker.registration.scope ? addressOf("index.html") : origin + pathname
  if (ownAddresses.has(address)) event.respondWith(answer(address, request))
})
