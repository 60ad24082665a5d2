/**
 * May this request check a pair without a key?
 *
 * The service's own site may, and programs on the caller's own machine: a page on localhost, a browser extension, a program on
 * the machine of a development server that is not reachable from outside. This is a convenience and no protection (a request written by hand can
 * carry any `Origin`), so every client address has a limit a minute, as for all requests without a key.
 */

import { isLoopbackHost } from "../../settings/hosts.ts"
import { isForwarded } from "./client-address.ts"
import type { ServiceRequest } from "./request.ts"

const LOCAL_ORIGIN = /^https?:\/\/(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i
const EXTENSION_ORIGIN =
  /^(?:chrome-extension|moz-extension|safari-web-extension|safari-extension|ms-browser-extension|extension):\/\/[^\s/]+$/i

export interface KeylessSettings {
  /** Origins of the service's own site. */
  readonly origins: readonly string[]
  /** Whether requests from the server's own machine need no key. */
  readonly trustsOwnMachine: boolean
}

/** Decides about keyless checks. */
export class KeylessGate {
  readonly #settings: KeylessSettings
  readonly #origins: ReadonlySet<string>

  constructor(settings: KeylessSettings) {
    this.#settings = settings
    this.#origins = new Set(settings.origins)
  }

  /** Says whether the sender needs no key. */
  welcomes(request: ServiceRequest): boolean {
    const { socketAddress } = request
    const origin = request.header("origin")
    if (origin !== undefined) {
      return this.#origins.has(origin) || LOCAL_ORIGIN.test(origin) || EXTENSION_ORIGIN.test(origin)
    }
    return (
      this.#settings.trustsOwnMachine &&
      socketAddress !== undefined &&
      isLoopbackHost(socketAddress) &&
      !isForwarded(request)
    )
  }
}
