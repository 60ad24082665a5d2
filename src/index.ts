/** The public API of `landfall`: the engine, and the dataset that is part of the package. */
export { embeddedDataset, embeddedRules, lookup } from "./dataset/embedded.ts"
export { embeddedPairs } from "./dataset/embedded-pairs.ts"
export * from "./engine.ts"
