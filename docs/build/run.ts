/** `npm run docs` builds the documentation as a site. */
import { relative } from "node:path"
import { buildDocs, DOCS_FOLDER } from "./build-docs.ts"

const pages = await buildDocs()
const folder = relative(process.cwd(), DOCS_FOLDER)
process.stdout.write(
  `${pages.length} pages in ${folder}, for any static host; ${folder}/index.html opens in a browser\n`,
)
