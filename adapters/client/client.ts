/** The public API of `landfall/client`: how a program uses a service or a feed over the network. */
export {
  type DatasetFault,
  type DatasetFollower,
  type DatasetStore,
  type FollowDatasetOptions,
  followDataset,
  keepInCache,
  keepInFile,
} from "./follow-dataset.ts"
export * from "./lookup-client.ts"
