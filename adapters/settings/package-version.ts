/** The version of this package, as its manifest says. */
import manifest from "../../package.json" with { type: "json" }

export const VERSION = manifest.version
