/** The public API of `landfall`: the engine, and the dataset that is part of the package. */
// biome-ignore-all assist/source/organizeImports: the engine comes first, because gzip packs code better beside code than after the data.
export * from "./engine.ts"
export { attributions } from "./attributions.ts"
export { embeddedDataset, lookup, zone } from "./embedded-dataset.ts"
export { embeddedRules } from "./embedded-rules.ts"
export { embeddedPairs } from "./dataset/embedded-pairs.ts"
