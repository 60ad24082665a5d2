/** The examples for web pages, each in a real browser, over the package as it is built for browsers. */
import { readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import type { Page } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { SITE_FOLDER } from "../../site/build/build-site.ts"
import { FLOW_TIMEOUT_MS, useExplorer } from "./explorer-page.ts"
import { type FurtherFiles, type SiteServer, serveSite } from "./site-server.ts"

const ROOT = join(import.meta.dirname, "../..")
const TYPES: Readonly<Record<string, string>> = { html: "text/html; charset=utf-8", js: "text/javascript" }

/** Builds entries as the package does, and gives each file under the path that it is served at. */
async function buildPackage(): Promise<FurtherFiles> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: { index: "src/index.ts", full: "src/full.ts" },
    outdir: join(ROOT, "dist"),
    bundle: true,
    splitting: true,
    write: false,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "es2023",
  })
  return Object.fromEntries(
    outputFiles.map(({ path, contents }) => [
      `/${relative(ROOT, path)}`,
      { type: TYPES.js as string, bytes: contents },
    ]),
  )
}

const resolveOwn = (name: string) => fileURLToPath(import.meta.resolve(name))

/** Bundles the React example with what an app would write around it. */
async function buildReact(): Promise<Uint8Array> {
  const app = `
    import { createRoot } from "react-dom/client"
    import { BestPassports, VisaAnswer } from "./visa-answer.jsx"
    createRoot(document.body).render(
      <main>
        <VisaAnswer passport="FRA" destination="JPN" />
        <VisaAnswer passport="ZZZ" destination="JPN" />
        <BestPassports passports={["IND", "FRA"]} destinations={["USA"]} />
      </main>,
    )`
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    stdin: { contents: app, loader: "jsx", resolveDir: join(ROOT, "examples/react") },
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    jsx: "automatic",
    // The page's own; beside the examples there may be an older one.
    alias: {
      landfall: join(ROOT, "src/index.ts"),
      react: resolveOwn("preact/compat"),
      "react-dom/client": resolveOwn("preact/compat/client"),
      "react/jsx-runtime": resolveOwn("preact/jsx-runtime"),
      "preact/jsx-runtime": resolveOwn("preact/jsx-runtime"),
    },
  })
  return outputFiles[0]?.contents ?? new Uint8Array()
}

function readExamples(): FurtherFiles {
  const names = readdirSync(join(ROOT, "examples/browser"))
  return Object.fromEntries(
    names.map(name => [
      `/examples/browser/${name}`,
      { type: TYPES[name.split(".").at(-1) ?? ""] ?? "", bytes: readFileSync(join(ROOT, "examples/browser", name)) },
    ]),
  )
}

const pageWith = (body: string) => ({ type: TYPES.html as string, bytes: `<!doctype html><html lang="en">${body}` })

const explorer = useExplorer()

describe("an example for web pages", { timeout: FLOW_TIMEOUT_MS }, () => {
  let host: SiteServer
  let page: Page
  beforeAll(async () => {
    host = await serveSite(SITE_FOLDER, {
      ...(await buildPackage()),
      ...readExamples(),
      "/react.js": { type: TYPES.js as string, bytes: await buildReact() },
      "/react.html": pageWith(`<body><script type="module" src="/react.js"></script>`),
      "/element.html": pageWith(
        `<visa-answer passport="FRA" destination="JPN"></visa-answer><script type="module" src="/examples/browser/visa-answer.js"></script>`,
      ),
    })
    page = explorer.page
  }, FLOW_TIMEOUT_MS)
  afterAll(() => host.close())

  it("answers for a passport and a destination in one HTML file", async () => {
    await page.goto(`${host.url}examples/browser/index.html`)
    await page.getByText("visa free, 90 days").waitFor()
    await page.getByLabel("Destination").selectOption("ATA")
    await page.getByText("No record", { exact: true }).waitFor()
    await page.getByLabel("Passport").selectOption("IND")
    await page.getByLabel("Destination").selectOption("IND")
    await page.getByText("Own country").waitFor()
  })

  it("judges an itinerary, and applies remedies", async () => {
    await page.goto(`${host.url}examples/browser/itinerary.html`)
    await page.getByText("Blocked").waitFor()
    await page.getByRole("button", { name: "Leave by 2028-04-28" }).click()
    await page.getByText(/Nothing known stands in the way|A fact that decides is not known/).waitFor()
    assert.strictEqual(await page.getByLabel("Leave Italy on").inputValue(), "2028-04-28")
  })

  it("loads a whole record, and a language when it is chosen", async () => {
    await page.goto(`${host.url}examples/browser/record.html`)
    await page.getByText(/^Thailand: /).waitFor()
    await page.getByLabel("Language").selectOption("ar")
    await page.locator('html[dir="rtl"] #documents li').first().waitFor()
  })

  it("is an element that updates its answer when an attribute changes", async () => {
    await page.goto(`${host.url}element.html`)
    await page.locator('visa-answer[requirement="visa_free"]').waitFor()
    await page.evaluate(() => document.querySelector("visa-answer")?.setAttribute("destination", "ZZZ"))
    await page.locator('visa-answer[requirement="unknown"]').waitFor()
  })

  it("is components that answer without waiting", async () => {
    await page.goto(`${host.url}react.html`)
    await page.getByText("visa free, 90 days (not checked by a person)").waitFor()
    await page.getByText(/^No record: /).waitFor()
    await page.getByText("USA: FRA, eta").waitFor()
  })
})
