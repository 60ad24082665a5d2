/**
 * How is the explorer page served beside the endpoints?
 *
 * Each file of the built page is a row, so unknown paths are still 404. `/` belongs to the index, which uses this file if a browser calls.
 * If the page was not built, there are no rows, and the service works without it.
 *
 * The page contains the embedded dataset. If the service uses another one, the page gets that as a file, revalidated each time.
 */
import { type Dataset, lookupRequirement, REQUIREMENTS, type Requirement } from "../../../../src/engine.ts"
import { assembleFullRecord, type Language, type LocalisedFacts } from "../../../../src/full.ts"
import { DEFAULT_LANGUAGE } from "../../../answers/answer-languages.ts"
import { findDatasetBytes } from "../../../answers/dataset-file.ts"
import { openSiteFiles, type SiteAsset, type SiteFiles } from "../../page/assets.ts"
import {
  colourWorld,
  PICTURE_HEIGHT,
  PICTURE_WIDTH,
  type PictureCategory,
  WORLD_PICTURE,
} from "../../page/world-picture.ts"
import { type AnswerContext, type EdgeRow, endpoint } from "../../pipeline/endpoint.ts"
import { type Answer, answerError, answerText, NOT_STORED } from "../../pipeline/http-message.ts"
import { MountedSite, type MountedSiteShape } from "../../pipeline/process-state.ts"
import { type Html, html } from "../accounts/page/html.ts"
import { destination, lang, localisedFactsOf, passport } from "../visa/visa-endpoints.ts"

// Which picture does a messenger show with the address of the page, a pair or a passport?
// It is the map of the world (PNG): for a passport in the colours of each destination's requirement, for a pair with its two countries
// only, for the start in the colours of each destination's most common requirement. It has no words, so one picture serves fifteen
// languages; the title and the description have the words. It uses the service's dataset of the day.

const MAX_AGE_SECONDS = 3_600

/** Refuses codes of which nothing is recorded. */
const answerUnrecorded = (): Answer => answerError(404, "Nothing is recorded for these codes.")

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

/** The most drawn requirement of each destination for other passports; of two equally drawn ones, the first in the order of passports. */
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

const drawn = { surface: "operations", access: { kind: "public" }, isValidated: true } as const

/** The rows of a page that was built. */
const listPictureRows = (world: SiteAsset) => [
  endpoint("GET /picture.png", {
    ...drawn,
    name: "picture of the page",
    answer: (_, { dataset }) => answerColoured(world, findCommonest(dataset)),
  }),
  endpoint("GET /:passport/:destination/picture.png", {
    ...drawn,
    name: "picture of a pair",
    pathFits: /^\/[A-Z]{3}\/[A-Z]{3}\/picture\.png$/,
    parameters: { passport, destination },
    answer: ({ passport, destination }, context) => answerPicture(world, context, passport, [destination]),
  }),
  endpoint("GET /passport/:passport/picture.png", {
    ...drawn,
    name: "picture of a passport",
    pathFits: /^\/passport\/[A-Z]{3}\/picture\.png$/,
    parameters: { passport },
    answer: ({ passport }, context) => answerPicture(world, context, passport, context.dataset.destinations),
  }),
]

// How does a pair or a passport have an address that search engines and messengers can read?
// `/IND/DEU` and `/passport/IND` are the explorer page with its title, its description and the Open Graph fields written by the service, in
// one of fifteen languages (`?lang=`). The page then opens the view itself. Codes without a record have no page.

// What do messengers and search engines read at an address of the page? The fields of Open Graph (ogp.me), and the canonical address.

/** The last part of a picture's path, after that of its page. */
const PICTURE = "picture.png"

export interface SharedAddress {
  readonly address: string
  readonly picture: string
  readonly title: string
  readonly description: string
  readonly language: string
}

/** Writes it for the head of a page. */
const writeOpenGraph = ({ address, picture, title, description, language }: SharedAddress): Html =>
  html`<link rel="canonical" href="${address}">
    <meta property="og:type" content="website">
    <meta property="og:site_name" content="Landfall">
    <meta property="og:title" content="${title}">
    <meta property="og:description" content="${description}">
    <meta property="og:url" content="${address}">
    <meta property="og:locale" content="${language}">
    <meta property="og:image" content="${picture}">
    <meta property="og:image:type" content="image/png">
    <meta property="og:image:width" content="${String(PICTURE_WIDTH)}">
    <meta property="og:image:height" content="${String(PICTURE_HEIGHT)}">
    <meta property="og:image:alt" content="${title}">
    <meta name="twitter:card" content="summary_large_image">`

/** What the service writes into the page. */
interface Written {
  /** The path of this address, without the first slash. */
  readonly path: string
  /** The view, as the part of the page's address after `#` names it. */
  readonly view: string
  readonly title: string
  readonly description: string
}

/** Marks that keep text of one direction apart from text of the other; attributes of a head have no use for them. */
const ISOLATES = /[\u2066-\u2069]/gu

function writeHead(
  page: string,
  written: Written,
  { locale }: LocalisedFacts,
  { publicUrl }: MountedSiteShape,
): string {
  const root = `${new URL(publicUrl).pathname.replace(/\/$/, "")}/`
  const query = locale.language === DEFAULT_LANGUAGE ? "" : `?lang=${locale.language}`
  const address = `${publicUrl}/${written.path}${query}`
  const [title, description] = [written.title.replace(ISOLATES, ""), written.description.replace(ISOLATES, "")]
  const picture = `${publicUrl}/${written.path}/${PICTURE}`
  const graph = writeOpenGraph({ address, picture, title, description, language: locale.language })
  const head = html`<title>${title} · Landfall</title>
    <meta name="description" content="${description}">
    ${graph}
    <meta name="landfall-view" content="${root}#${written.view}">`
  const shown = html`<noscript><h1>${title}</h1><p>${description}</p>`
  return (
    page
      .replace('<html lang="en">', html`<html lang="${locale.language}" dir="${locale.direction}">`.text)
      .replace(/(?<!\s)\s*<meta name="description"[^<>]*>/, "")
      .replaceAll('="./', () => `="${root}`)
      // The page's first script reads the view.
      .replace(/<title>[^<]*<\/title>/, () => head.text)
      .replace("<noscript>", () => shown.text)
  )
}

function answerWritten(
  page: SiteAsset,
  written: Written | null,
  context: AnswerContext & { readonly site: MountedSiteShape },
): Answer {
  if (written === null) return answerUnrecorded()
  const text = writeHead(Buffer.from(page.bytes).toString("utf8"), written, localisedFactsOf(context), context.site)
  const headers = ["cache-control", "no-cache", "vary", "Accept-Encoding", ...Object.entries(page.headers).flat()]
  return answerText(page.type, text, headers)
}

function writePair(localised: LocalisedFacts, passport: string, destination: string): Written | null {
  const record = assembleFullRecord(localised, passport, destination)
  if (record === null) return null
  const path = `${passport}/${destination}`
  const values = { passport: { country: passport }, destination: { country: destination } }
  const title = localised.locale.say({ key: "label.title", values })
  return { path, view: `/${path}`, title, description: record.description }
}

/** Counts the destinations other than home by requirement. */
function countByRequirement(dataset: Dataset, passport: string): readonly (readonly [Requirement, number])[] {
  const answers = dataset.destinations.map(destination => lookupRequirement(dataset, passport, destination))
  return REQUIREMENTS.map(
    requirement =>
      [
        requirement,
        answers.filter(answer => answer.kind === "found" && !answer.home && answer.requirement === requirement).length,
      ] as const,
  )
}

function writePassport({ locale }: LocalisedFacts, dataset: Dataset, passport: string): Written | null {
  if (!dataset.passports.includes(passport)) return null
  const counts = countByRequirement(dataset, passport).filter(([, count]) => count > 0)
  const named = counts.map(([requirement, count]) =>
    locale.label(locale.say({ key: `requirement.${requirement}` }), String(count)),
  )
  return {
    path: `passport/${passport}`,
    view: `/?people=${passport}`,
    title: locale.nameCountry(passport),
    description: locale.list(named),
  }
}

const ofAddress = {
  surface: "operations",
  access: { kind: "public" },
  isValidated: true,
  needs: { site: MountedSite },
} as const
const languageOf = ({ lang }: { readonly lang?: Language | undefined }): Language => lang ?? DEFAULT_LANGUAGE

/** The rows of a page that was built. */
const listWrittenRows = (page: SiteAsset) => [
  endpoint("GET /:passport/:destination", {
    ...ofAddress,
    name: "page of a pair",
    pathFits: /^\/[A-Z]{3}\/[A-Z]{3}$/,
    parameters: { passport, destination, lang },
    language: languageOf,
    answer: ({ passport, destination }, context) =>
      answerWritten(page, writePair(localisedFactsOf(context), passport, destination), context),
  }),
  endpoint("GET /passport/:passport", {
    ...ofAddress,
    name: "page of a passport",
    pathFits: /^\/passport\/[A-Z]{3}$/,
    parameters: { passport, lang },
    language: languageOf,
    answer: ({ passport }, context) =>
      answerWritten(page, writePassport(localisedFactsOf(context), context.dataset, passport), context),
  }),
]

const PAGE = "/"
/** The path of the service's dataset, relative to the page. */
const DATASET = "dataset.landfall"
/** The `vary` header of `/`, which is a page for browsers and an index for programs. */
export const VARY_OF_PAGE = "Accept, Accept-Encoding, User-Agent"

let opened: SiteFiles | undefined

/** The built page of this installation, looked for once. */
const openFiles = (): SiteFiles => {
  opened ??= openSiteFiles(undefined, { dataset: DATASET, writesAddresses: true })
  return opened
}

/** Answers a file, which the pipeline keeps, compresses, and sends once to a client that has it. */
export const answerFile = (
  { bytes, cacheControl, headers, type }: SiteAsset,
  further: readonly string[] = [],
): Answer => ({
  status: 200,
  contentType: type,
  headers: ["cache-control", cacheControl, ...Object.entries(headers).flat(), ...further],
  body: bytes,
  sharesBody: true,
})

/** The page with the fields for messengers. They get it for every address after `#`, which they do not send. */
function sharePage(page: SiteAsset, publicUrl: string): SiteAsset {
  const text = Buffer.from(page.bytes).toString("utf8")
  const description = /<meta name="description" content="([^"]*)">/.exec(text)?.[1] ?? ""
  const [address, picture] = [`${publicUrl}/`, `${publicUrl}/${PICTURE}`]
  const head = writeOpenGraph({ address, picture, title: "Landfall", description, language: DEFAULT_LANGUAGE })
  return { ...page, bytes: Buffer.from(text.replace("</head>", () => `  ${head.text}\n  </head>`)) }
}

/** The page itself, at the address of its service; null where it was never built. */
export function answerPage(publicUrl: string): Answer | null {
  const page = openFiles().find(PAGE)
  return page === undefined ? null : answerFile(sharePage(page, publicUrl), ["vary", VARY_OF_PAGE])
}

const rowOfFile = (path: string): EdgeRow =>
  endpoint(`GET ${path as `/${string}`}`, {
    surface: "operations",
    access: { kind: "public" },
    name: `page ${path}`,
    keepAs: () => "",
    answer: () => answerFile(openFiles().find(path) as SiteAsset),
  })

const OCTETS = "application/octet-stream"
const NOT_SENT = answerText("text/plain; charset=utf-8", "This service keeps its dataset to itself.", NOT_STORED)

/** Answers with the dataset as a file; 204 where it is the one that is part of the page. */
export function answerDataset(dataset: Dataset, isSent: boolean): Answer {
  const bytes = findDatasetBytes(dataset)
  if (bytes === null) return { status: 204, contentType: OCTETS, headers: NOT_STORED, body: "" }
  return isSent
    ? answerFile({ bytes, type: OCTETS, cacheControl: "no-cache", headers: {} })
    : { ...NOT_SENT, status: 403 }
}

const datasetRow = endpoint(`GET /${DATASET}`, {
  surface: "operations",
  access: { kind: "public" },
  needs: { site: MountedSite },
  name: `page /${DATASET}`,
  keepAs: () => "",
  answer: (_, context) => answerDataset(context.dataset, context.site.pageSendsDataset),
})

type PageRow =
  | EdgeRow
  | typeof datasetRow
  | ReturnType<typeof listWrittenRows>[number]
  | ReturnType<typeof listPictureRows>[number]

/** A row for each file but `/`, and one for the dataset, and those of addresses that the service writes. The reference does not list them. */
export const listPageRows = (): readonly PageRow[] => {
  const files = openFiles()
  const [page, world] = [files.find(PAGE), files.find(WORLD_PICTURE)]
  if (page === undefined || world === undefined) return []
  const rows = files.paths.filter(path => path !== PAGE).map(rowOfFile)
  return [...rows, datasetRow, ...listWrittenRows(page), ...listPictureRows(world)]
}
