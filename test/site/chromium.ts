/**
 * Where is the browser that the tests of the page run in?
 *
 * It comes with the development dependencies and is unpacked once, into a folder of its own: one that another version left in the common
 * temporary folder would be taken whatever it is. Its libraries come with it, so that the machine needs none.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { chromium as launcher } from "playwright-core"

/** What is needed to start it. */
export interface UnpackedChromium {
  readonly executablePath: string
  readonly env: Record<string, string>
}

const FOLDER = join(import.meta.dirname, "../../node_modules/.cache/chromium-153.0.0")
const PACKED = join(import.meta.dirname, "../../node_modules/@sparticuz/chromium/bin")

const FONT_SETTINGS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(FOLDER, "fonts/fonts")}</dir>
  <cachedir>${join(FOLDER, "fonts-cache")}</cachedir>
</fontconfig>
`

/** Unpacks the browser, unless it was already. */
async function unpackChromium(): Promise<UnpackedChromium> {
  mkdirSync(FOLDER, { recursive: true })
  const before = process.env.TMPDIR
  process.env.TMPDIR = FOLDER
  try {
    const { default: chromium, inflate } = await import("@sparticuz/chromium")
    const executablePath = await chromium.executablePath()
    const libraries = join(FOLDER, "al2023/lib")
    if (!existsSync(libraries)) await inflate(join(PACKED, "al2023.tar.br"))
    // The settings that come with it look for its fonts elsewhere, and without any font it ends at the first list of choices.
    const settings = join(FOLDER, "fonts.conf")
    writeFileSync(settings, FONT_SETTINGS)
    const env = { ...process.env, LD_LIBRARY_PATH: libraries, FONTCONFIG_FILE: settings }
    return { executablePath, env: env as Record<string, string> }
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
}

/** Starts it, unpacked before if need be. */
export async function startChromium() {
  const { executablePath, env } = await unpackChromium()
  return launcher.launch({ executablePath, env, args: ["--no-sandbox"] })
}
