/** The reference of the mounted surfaces, made on first use: as a document for programs, and as a page for people. */
import { Effect, Layer } from "effect"
import { OpenApi } from "effect/http-api"
import { MountedSite } from "../pipeline/mounted-site.ts"
import { Reference } from "../routes/operations/reference-endpoints.ts"
import { declareApi } from "./api.ts"
import { REFERENCE_SCRIPT, REFERENCE_STYLE, writeReference } from "./reference-page.ts"

function makeReference(site: MountedSite["Service"]): Reference["Service"] {
  const describe = () => OpenApi.fromApi(declareApi(site.surfaces, [site.publicUrl]))
  let page: string | undefined
  return {
    describe,
    render: () => {
      page ??= writeReference(describe())
      return page
    },
    script: REFERENCE_SCRIPT,
    style: REFERENCE_STYLE,
  }
}

export const layerReference = Layer.effect(Reference, Effect.map(MountedSite, makeReference))
