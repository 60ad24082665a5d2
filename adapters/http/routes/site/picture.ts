/**
 * Which picture does a messenger show with the address of the page, a pair or a passport?
 *
 * It is the map of the world (PNG): for a passport in the colours of each destination's requirement, for a pair with its two countries
 * only, for the start in the colours of each destination's most common requirement. It has no words, so one picture serves fifteen
 * languages; the title and the description have the words. It uses the service's dataset of the day.
 */
import { type Dataset, lookupRequirement } from "../../../../src/engine.ts"
import type { SiteAsset } from "../../page/assets.ts"
import { colourWorld, type PictureCategory } from "../../page/world-picture.ts"
import { type AnswerContext, endpoint } from "../../pipeline/endpoint.ts"
import type { Answer } from "../../pipeline/http-answer.ts"
import { answerError } from "../../pipeline/http-errors.ts"
import { destination, passport } from "../visa/visa-parameters.ts"

const MAX_AGE_SECONDS = 3_600

/** Refuses codes of which nothing is recorded. */
export const answerUnrecorded = (): Answer => answerError(404, "Nothing is recorded for these codes.")

function categoryOf(dataset: Dataset, passport: string, destination: string): PictureCategory {
  if (passport === destination) return "home"
  const answer = lookupRequirement(dataset, passport, destination)
  if (answer.kind !== "found") return "unknown"
  return answer.home ? "home" : answer.requirement
}

function answerPicture(
  world: SiteAsset,
  { dataset }: AnswerContext,
  passport: string,
  destinations: readonly string[],
) {
  const isKnown =
    dataset.passports.includes(passport) && destinations.every(code => dataset.destinations.includes(code))
  if (!isKnown) return answerUnrecorded()
  const categories = new Map([passport, ...destinations].map(code => [code, categoryOf(dataset, passport, code)]))
  return answerColoured(world, categories)
}

const answerColoured = (world: SiteAsset, categories: ReadonlyMap<string, PictureCategory>): Answer => ({
  status: 200,
  contentType: "image/png",
  headers: ["cache-control", `public, max-age=${MAX_AGE_SECONDS}`],
  body: colourWorld(world.bytes, categories),
})

/** Kept for each dataset, because it needs every pair. */
const commonest = new WeakMap<Dataset, ReadonlyMap<string, PictureCategory>>()

/** The most common requirement of each destination for other passports; of two equally common ones, the first in the order of passports. */
function findCommonest(dataset: Dataset): ReadonlyMap<string, PictureCategory> {
  const known = commonest.get(dataset)
  if (known !== undefined) return known
  const categories = new Map(
    dataset.destinations.map(destination => {
      const counts = new Map<PictureCategory, number>()
      for (const passport of dataset.passports) {
        const category = categoryOf(dataset, passport, destination)
        if (category !== "home") counts.set(category, (counts.get(category) ?? 0) + 1)
      }
      const [most] = [...counts].sort(([, one], [, other]) => other - one)
      return [destination, most?.[0] ?? "unknown"] as const
    }),
  )
  commonest.set(dataset, categories)
  return categories
}

const common = { method: "GET", surface: "operations", access: { kind: "public" }, isValidated: true } as const

/** The rows of a page that was built. */
export const listPictureRows = (world: SiteAsset) => [
  endpoint({
    ...common,
    name: "picture of the page",
    path: "/picture.png",
    parameters: {},
    answer: (_, { dataset }) => answerColoured(world, findCommonest(dataset)),
  }),
  endpoint({
    ...common,
    name: "picture of a pair",
    path: "/:passport/:destination/picture.png",
    pathFits: /^\/[A-Z]{3}\/[A-Z]{3}\/picture\.png$/,
    parameters: { passport, destination },
    answer: ({ passport, destination }, context) => answerPicture(world, context, passport, [destination]),
  }),
  endpoint({
    ...common,
    name: "picture of a passport",
    path: "/passport/:passport/picture.png",
    pathFits: /^\/passport\/[A-Z]{3}\/picture\.png$/,
    parameters: { passport },
    answer: ({ passport }, context) => answerPicture(world, context, passport, context.dataset.destinations),
  }),
]
