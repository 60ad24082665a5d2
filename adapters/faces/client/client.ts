/** The public API of `landfall/client`: what a program asks of a service or of a feed over the network. */
export { type DatasetStore, keepInCache, keepInFile } from "./dataset-store.ts"
export { type DatasetFault, type DatasetFollower, type FollowDatasetOptions, followDataset } from "./follow-dataset.ts"
export * from "./lookup-client.ts"
