/** The public API of `landfall`: the engine, and the dataset that is part of the package. */
export { embeddedDataset, embeddedPairs, lookup } from "./dataset/embedded.ts"
export * from "./engine.ts"
