/** The dataset that the package embeds, apart from everything else, so that an app can load it when it is first asked for. */
export { embeddedDataset } from "./dataset/embedded.ts"
