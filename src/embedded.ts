/** The dataset that the package embeds, in a separate module, so that an app can load it at first use. */
export { embeddedDataset } from "./embedded-dataset.ts"
