/**
 * Where is the browser that the tests of the page run in?
 *
 * It comes with the development dependencies and is unpacked once, into a folder of its own: one that another version left in the common
 * temporary folder would be taken whatever it is. Its libraries come with it, so that the machine needs none.
 */
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Browser, chromium as launcher } from "playwright-core"

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

/** Unpacks the browser, unless it was already. Processes that do so at once make a folder each, and the first one's stays. */
async function unpackChromium(): Promise<UnpackedChromium> {
  if (!existsSync(FOLDER)) await unpackInto(`${FOLDER}-${process.pid}`)
  // The settings that come with it look for its fonts elsewhere, and without any font it ends at the first list of choices. They are written at each
  // start, because they name the folder, which may have been moved.
  writeFileSync(join(FOLDER, "fonts.conf"), FONT_SETTINGS)
  const env = {
    ...process.env,
    LD_LIBRARY_PATH: join(FOLDER, "al2023/lib"),
    FONTCONFIG_FILE: join(FOLDER, "fonts.conf"),
  }
  return { executablePath: join(FOLDER, "chromium"), env: env as Record<string, string> }
}

async function unpackInto(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const before = process.env.TMPDIR
  process.env.TMPDIR = folder
  try {
    const { default: chromium, inflate } = await import("@sparticuz/chromium")
    await chromium.executablePath()
    if (!existsSync(join(folder, "al2023/lib"))) await inflate(join(PACKED, "al2023.tar.br"))
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
  try {
    renameSync(folder, FOLDER)
  } catch (error) {
    rmSync(folder, { recursive: true })
    if (!existsSync(FOLDER)) throw error
  }
}

/** Starts it, unpacked before if need be; it draws in its own process, which is a tenth less work than in another one. */
export async function startChromium() {
  const { executablePath, env } = await unpackChromium()
  return launcher.launch({ executablePath, env, args: ["--no-sandbox", "--in-process-gpu"] })
}

let shared: Browser | undefined

/** The browser that the files of a process share, one file after the other. It ends with the process; a file leaves nothing in it (`leaveChromium`). */
export async function shareChromium(): Promise<Browser> {
  if (shared?.isConnected() !== true) shared = await startChromium()
  return shared
}

/** Closes what a file of tests has opened in the shared browser. */
export async function leaveChromium(): Promise<void> {
  await Promise.all(shared?.contexts().map(context => context.close()) ?? [])
}
