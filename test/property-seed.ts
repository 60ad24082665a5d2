/**
 * Which examples do the property tests draw?
 *
 * The same ones in every run, so that a red test is always the fault of the change under test. `npx node test/explore.ts` draws
 * others each time; what it finds becomes a fix, or an example of its own beside the law.
 */
import fc from "fast-check"

const USUAL_SEED = 20_261_121

fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? USUAL_SEED) })
