import type { Gate } from "../../adapters/http/pipeline/pipeline.ts"

/** Everybody may call, and nothing costs anything. */
export const OPEN_GATE: Gate = {
  checkKey: () => undefined,
  checkLanguage: () => undefined,
  reserve: () => ({ conclude: answer => answer, release: () => {} }),
}
