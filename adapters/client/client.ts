/** The public API of `landfall/client`: how a program uses a service or a feed over the network. */
export { type DatasetStore, keepInCache, keepInFile } from "./dataset-store.ts"
export { type DatasetFault, type DatasetFollower, type FollowDatasetOptions, followDataset } from "./follow-dataset.ts"
export * from "./lookup-client.ts"
