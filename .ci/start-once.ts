/** Does `npm start` serve, as the first screen of the README says? Starts it on a fresh database, asks each line that it prints, and stops it. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"

/** How long the page may take to be made, and the service to listen. */
const START_MS = 240_000

const folder = mkdtempSync(join(tmpdir(), "landfall-start-"))
const env = { ...process.env, LANDFALL_DATABASE_URL: `file:${join(folder, "start.db")}`, LANDFALL_PORT: "0" }
const service = spawn("npm", ["start"], { env, stdio: ["ignore", "pipe", "inherit"] })
// The service may outlive npm for a moment; its output ends with it.
const stopped = once(service, "close")

/** Reads what is printed, up to the address of the reference, which comes last. */
function readWelcome(): Promise<string> {
  const timer = setTimeout(() => service.kill(), START_MS)
  let text = ""
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(timer)
      resolve(text)
    }
    service.stdout.on("data", part => {
      text += String(part)
      if (/^Reference: .*\n/m.test(text)) end()
    })
    void stopped.then(end)
  })
}

/** Sends what a line of curl sends. */
async function ask(line: string): Promise<void> {
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "")
  const { values, positionals } = parseArgs({
    args: words.slice(1),
    options: { header: { type: "string", short: "H", multiple: true }, data: { type: "string", short: "d" } },
    allowPositionals: true,
  })
  const headers = (values.header ?? []).map(header => header.split(": ") as [string, string])
  const body = values.data === undefined ? {} : { method: "POST", body: values.data }
  const reply = await fetch(positionals[0] as string, { headers, ...body })
  if (reply.status !== 200) throw new Error(`${reply.status} for ${positionals[0]}: ${await reply.text()}`)
  console.log(`${reply.status} ${new URL(positionals[0] as string).pathname}`)
}

try {
  const welcome = await readWelcome()
  const lines = [...welcome.matchAll(/^ +(curl .*)$/gm)].map(([, line]) => line as string)
  if (lines.length === 0) throw new Error(`It printed no line to try:\n${welcome}`)
  for (const line of lines) await ask(line)
} finally {
  service.kill()
  await stopped
  rmSync(folder, { recursive: true, force: true })
}
