/** Opens the dataset that a host offers: a part of its own, because most hosts offer none, and its checks are large. */
import { openDataset } from "landfall"

export const openOffer = openDataset
