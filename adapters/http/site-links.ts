/** Where do answers point to? */

/** The service as clients reach it. */
export interface Site {
  /** The address under which clients reach the service, without a slash at its end. */
  publicUrl: string
  contact: string
}

/** Where a stranger gets a key. */
export const signupUrl = (site: Site): string => `${site.publicUrl}/docs`

/** Where an account gets a better plan. */
export const upgradeUrl = (site: Site): string => `${site.publicUrl}/docs`
