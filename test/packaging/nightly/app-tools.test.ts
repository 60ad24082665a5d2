/**
 * Does the package work with the tools that apps are built, tested and installed with?
 *
 * A row is one app: its files, the exact versions of the tools that it installs, the commands that it runs, and what the last of them prints. Each
 * app is installed from the registry into a folder of its own.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { describe, expect, inject, it } from "vitest"

const tarball = inject("tarball")
const ANSWER = "JPN visa_free 90"
const PRINT = "const { requirement, days } = lookup('FRA', 'JPN')\nconsole.log('JPN', requirement, days)\n"
const IMPORTING = `import { lookup } from "landfall"\n${PRINT}`
const REQUIRING = `const { lookup } = require("landfall")\n${PRINT}`

interface App {
  /** The tools with their versions. */
  readonly tools?: Readonly<Record<string, string>>
  /** Fields of package.json besides. */
  readonly manifest?: object
  readonly files: Readonly<Record<string, string>>
  readonly commands: readonly string[]
}

const JEST_FILES = {
  "visa.js": `const { lookup } = require("landfall")\nconst { decide } = require("landfall/engine")\nmodule.exports = { lookup, decide }\n`,
  "visa.test.js": `const { lookup, decide } = require("./visa.js")
test("a visa", () => {
  expect(lookup("FRA", "JPN")).toMatchObject({ requirement: "visa_free", days: 90 })
  expect(typeof decide).toBe("function")
  console.log("${ANSWER}")
})\n`,
}

/**
 * Metro makes a bundle as React Native does. The compiler of today's Hermes reads it; its virtual machine is in no package, so that the last one which is
 * (of React Native 0.70) runs what the preset writes for old engines.
 */
const METRO = {
  tools: {
    metro: "0.87.1",
    "metro-runtime": "0.87.1",
    "@react-native/babel-preset": "0.88.1",
    "@babel/core": "7.28.5",
    "hermes-compiler": "260318099.0.6",
    "hermes-engine-cli": "0.12.0",
  },
  commands: [
    buildWithMetro("hermes-stable"),
    "node out.js",
    "node_modules/hermes-compiler/hermesc/linux64-bin/hermesc -w -emit-binary -out out.hbc out.js",
    buildWithMetro("default"),
    "node_modules/hermes-engine-cli/linux64-bin/hermesc -w -emit-binary -out out.hbc out.js",
    "node_modules/hermes-engine-cli/linux64-bin/hermes -b out.hbc",
  ],
} as const

function buildWithMetro(profile: string): string {
  return `PROFILE=${profile} node_modules/.bin/metro build index.js --out out --platform ios --minify false --reset-cache`
}

const metroConfig = (usesExports: boolean) => `module.exports = {
  resolver: { unstable_enablePackageExports: ${usesExports} },
  transformer: { babelTransformerPath: require.resolve("./transform.js") },
  serializer: { getPolyfills: () => [] },
}\n`

const METRO_FILES = {
  "index.js": `import { lookup } from "landfall"
const { requirement, days } = lookup("FRA", "JPN")
const say = typeof print === "function" ? print : console.log
say("JPN " + requirement + " " + days)\n`,
  "transform.js": `const { transformFromAstSync, parseSync } = require("@babel/core")
exports.transform = ({ filename, src }) => {
  const preset = [require("@react-native/babel-preset"), { unstable_transformProfile: process.env.PROFILE }]
  const given = { filename, presets: [preset], caller: { name: "metro" }, cloneInputAst: false, babelrc: false, configFile: false }
  return { ast: transformFromAstSync(parseSync(src, given), src, { ...given, ast: true, code: false }).ast }
}\n`,
}

const APPS: Readonly<Record<string, App>> = {
  "Jest 29": { tools: { jest: "29.7.0" }, files: JEST_FILES, commands: ["node_modules/.bin/jest 2>&1"] },
  "Jest 30": { tools: { jest: "30.5.2" }, files: JEST_FILES, commands: ["node_modules/.bin/jest 2>&1"] },
  "Jest with TypeScript as CommonJS": {
    tools: { jest: "29.7.0", "ts-jest": "29.4.15", typescript: "5.9.3", "@types/jest": "29.5.14" },
    manifest: { jest: { preset: "ts-jest" } },
    files: {
      "visa.test.ts": `import { lookup } from "landfall"
test("a visa", () => {
  const answer = lookup("FRA", "JPN")
  expect(answer.kind === "found" && answer.days).toBe(90)
  console.log("${ANSWER}")
})\n`,
      "tsconfig.json": `{ "compilerOptions": { "module": "node16", "moduleResolution": "node16", "strict": true, "types": ["jest"], "isolatedModules": true } }`,
    },
    commands: ["node_modules/.bin/tsc --noEmit", "node_modules/.bin/jest 2>&1"],
  },
  Vitest: {
    tools: { vitest: "5.1.1" },
    manifest: { type: "module" },
    files: {
      "visa.test.js": `import { lookup } from "landfall"
import { expect, it } from "vitest"
it("answers", () => {
  expect(lookup("FRA", "JPN")).toMatchObject({ requirement: "visa_free", days: 90 })
  console.log("${ANSWER}")
})\n`,
    },
    commands: ["node_modules/.bin/vitest run"],
  },
  Parcel: {
    tools: { parcel: "2.16.4" },
    manifest: { targets: { out: { source: "index.js", distDir: "out", context: "node", includeNodeModules: true } } },
    files: { "index.js": IMPORTING },
    commands: ["node_modules/.bin/parcel build --no-cache", "node out/index.js"],
  },
  Vite: {
    tools: { vite: "8.3.8" },
    manifest: { type: "module" },
    files: { "index.js": IMPORTING },
    commands: ["node_modules/.bin/vite build --ssr index.js --outDir out", "node out/index.js"],
  },
  "Next.js": {
    tools: { next: "16.4.6", react: "19.2.7", "react-dom": "19.2.7" },
    files: {
      "app/layout.js": "export default ({ children }) => <html><body>{children}</body></html>\n",
      "app/page.js": `import { lookup } from "landfall"
import { Here } from "./here.js"
export default function Page() {
  const { requirement, days } = lookup("FRA", "JPN")
  return <><p>{["JPN", requirement, days].join(" ")}</p><Here /></>
}\n`,
      "app/here.js": `"use client"
import { lookup } from "landfall"
export const Here = () => <p>{lookup("FRA", "JPN").requirement}</p>\n`,
    },
    commands: ["NEXT_TELEMETRY_DISABLED=1 node_modules/.bin/next build", "cat .next/server/app/index.html"],
  },
  "Metro, by the package's exports": {
    ...METRO,
    files: { ...METRO_FILES, "metro.config.js": metroConfig(true) },
  },
  "Metro without exports": {
    ...METRO,
    files: { ...METRO_FILES, "metro.config.js": metroConfig(false) },
  },
  "Yarn 1": {
    tools: { yarn: "1.22.22" },
    files: { "index.js": REQUIRING },
    commands: [
      "mkdir app",
      `cd app && ../node_modules/.bin/yarn init -y && ../node_modules/.bin/yarn add file:${tarball}`,
      "cp index.js app && node app/index.js",
    ],
  },
  "Yarn 2, without node_modules": yarnApp("2.4.2"),
  "Yarn 3, without node_modules": yarnApp("3.8.6"),
  "Yarn 4, without node_modules": yarnApp("4.18.1"),
  pnpm: {
    tools: { pnpm: "12.21.0" },
    files: { "app/index.mjs": IMPORTING, "app/package.json": "{}" },
    commands: [`cd app && ../node_modules/.bin/pnpm add file:${tarball} && node index.mjs`],
  },
}

function yarnApp(version: string): App {
  const yarn =
    "YARN_ENABLE_TELEMETRY=0 YARN_ENABLE_IMMUTABLE_INSTALLS=false node ../node_modules/@yarnpkg/cli-dist/bin/yarn.js"
  return {
    tools: { "@yarnpkg/cli-dist": version },
    files: { "app/index.js": REQUIRING, "app/package.json": JSON.stringify({ name: "app" }), "app/yarn.lock": "" },
    commands: [`cd app && ${yarn} add landfall@file:${tarball} && ${yarn} node index.js`],
  }
}

describe.each(Object.entries(APPS))("an app with %s", (_, { tools = {}, manifest = {}, files, commands }) => {
  it("gets the answer of the package", () => {
    const app = mkdtempSync(join(tmpdir(), "landfall-tool-"))
    try {
      const dependencies = { landfall: `file:${tarball}`, ...tools }
      const all = {
        "package.json": JSON.stringify({ name: "app", private: true, ...manifest, dependencies }),
        ...files,
      }
      for (const [path, text] of Object.entries(all)) {
        mkdirSync(dirname(join(app, path)), { recursive: true })
        writeFileSync(join(app, path), text)
      }
      const run = (command: string) =>
        execFileSync("sh", ["-ec", command], { cwd: app, encoding: "utf8", stdio: "pipe" })
      run("npm install --no-audit --no-fund --loglevel=error")
      expect(commands.map(run).at(-1)).toContain(ANSWER)
    } finally {
      rmSync(app, { recursive: true, force: true })
    }
  })
})
