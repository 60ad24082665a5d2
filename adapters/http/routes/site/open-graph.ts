/** What do messengers and search engines read at an address of the page? The fields of Open Graph (ogp.me), and the canonical address. */

import { PICTURE_HEIGHT, PICTURE_WIDTH } from "../../page/world-picture.ts"
import { type Html, html } from "../accounts/page/html.ts"

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
