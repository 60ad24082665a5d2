/**
 * How does a pair or a passport have an address that search engines and messengers can read?
 *
 * `/IND/DEU` and `/passport/IND` are the explorer page with its title, its description and the Open Graph fields written by the service, in
 * one of fifteen languages (`?lang=`). The page then opens the view itself. Codes without a record have no page.
 */
import { type Dataset, lookupRequirement, REQUIREMENTS, type Requirement } from "../../../../src/engine.ts"
import { assembleFullRecord, type Language, type LocalisedFacts } from "../../../../src/full.ts"
import { DEFAULT_LANGUAGE } from "../../../answers/answer-languages.ts"
import type { SiteAsset } from "../../page/assets.ts"
import { PICTURE_HEIGHT, PICTURE_WIDTH } from "../../page/world-picture.ts"
import { type AnswerContext, endpoint } from "../../pipeline/endpoint.ts"
import { type Answer, answerText } from "../../pipeline/http-answer.ts"
import { MountedSite, type MountedSiteShape } from "../../pipeline/mounted-site.ts"
import { type Html, html } from "../accounts/page/html.ts"
import { localisedFactsOf } from "../visa/pair-endpoints.ts"
import { destination, lang, passport } from "../visa/visa-parameters.ts"
import { answerUnrecorded } from "./picture.ts"

// What do messengers and search engines read at an address of the page? The fields of Open Graph (ogp.me), and the canonical address.

/** The last part of a picture's path, after that of its page. */
export const PICTURE = "picture.png"

export interface SharedAddress {
  readonly address: string
  readonly picture: string
  readonly title: string
  readonly description: string
  readonly language: string
}

/** Writes it for the head of a page. */
export const writeOpenGraph = ({ address, picture, title, description, language }: SharedAddress): Html =>
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
    view: `/?passports=${passport}`,
    title: locale.nameCountry(passport),
    description: locale.list(named),
  }
}

const common = {
  method: "GET",
  surface: "operations",
  access: { kind: "public" },
  isValidated: true,
  needs: { site: MountedSite },
} as const
const languageOf = ({ lang }: { readonly lang?: Language | undefined }): Language => lang ?? DEFAULT_LANGUAGE

/** The rows of a page that was built. */
export const listWrittenRows = (page: SiteAsset) => [
  endpoint({
    ...common,
    name: "page of a pair",
    path: "/:passport/:destination",
    pathFits: /^\/[A-Z]{3}\/[A-Z]{3}$/,
    parameters: { passport, destination, lang },
    language: languageOf,
    answer: ({ passport, destination }, context) =>
      answerWritten(page, writePair(localisedFactsOf(context), passport, destination), context),
  }),
  endpoint({
    ...common,
    name: "page of a passport",
    path: "/passport/:passport",
    pathFits: /^\/passport\/[A-Z]{3}$/,
    parameters: { passport, lang },
    language: languageOf,
    answer: ({ passport }, context) =>
      answerWritten(page, writePassport(localisedFactsOf(context), context.dataset, passport), context),
  }),
]
