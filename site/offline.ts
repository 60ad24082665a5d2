/**
 * How does the page work without a network?
 *
 * A service worker keeps what the first view needs as soon as it is installed, and everything else once the page is idle, unless
 * the reader asked the browser to save data: then only parts that are opened are kept.
 */

/** A page's message to its service worker: to keep everything, and the dataset that its host offers, if any. */
export interface KeepAll {
  readonly keep: "all"
  readonly offered: string | null
}
/** The service worker's message when everything is stored. */
export const ALL_KEPT = "all-kept"

let isReady = false
const listeners = new Set<() => void>()

/** Says whether everything is kept. */
export function isOfflineReady(): boolean {
  return isReady
}

/** Calls back when everything is stored; returns the function that ends it. */
export function onOfflineReady(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Registers the service worker, where the browser supports it and the page came over a secure connection. */
export function registerServiceWorker(offered: string | null): void {
  const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined
  if (workers === undefined) return
  workers.addEventListener("message", event => {
    if (event.data !== ALL_KEPT) return
    isReady = true
    for (const listener of listeners) listener()
  })
  const register = async () => {
    await workers.register(scriptAddress() as string)
    const { active } = await workers.ready
    const { connection } = navigator as { readonly connection?: { readonly saveData?: boolean } }
    if (connection?.saveData !== true) active?.postMessage({ keep: "all", offered } satisfies KeepAll)
  }
  // Without it the page works as long as there is a network.
  register().catch(() => undefined)
}

interface ScriptPolicies {
  readonly createPolicy: (
    name: string,
    rules: { readonly createScriptURL: (address: string) => string },
  ) => { readonly createScriptURL: (address: string) => unknown }
}

/** The one script that is loaded by its address; browsers that know Trusted Types take it from the page's policy only. */
function scriptAddress(): unknown {
  const address = "service-worker.js"
  const { trustedTypes } = window as unknown as { readonly trustedTypes?: ScriptPolicies }
  return trustedTypes?.createPolicy("landfall", { createScriptURL: () => address }).createScriptURL(address) ?? address
}
