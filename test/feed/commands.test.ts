import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { readSigningKey } from "../../adapters/cli/feed-commands.ts"
import { type Release, signNextIndex } from "../../adapters/feed/feed-index.ts"
import { type SmallWorld, writeWorld } from "../changes/datasets.ts"
import { runCli } from "../cli/run.ts"
import { listAtomFaults, readCalendar } from "./readers.ts"
import { type ServedFolder, serveFolder } from "./serve-folder.ts"

let folder = ""
let address = ""
let served: ServedFolder
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "landfall-feed-"))
  served = await serveFolder(join(folder, "public"))
  address = `${served.url}/index.json`
})
afterAll(async () => {
  await served.close()
  rmSync(folder, { recursive: true, force: true })
})

const dataset = async (...args: readonly string[]) => {
  const { status, stdout, stderr } = await runCli(["dataset", ...args], { cwd: folder })
  return { status, stdout, said: (stdout + stderr).replace(/^\s*ERROR\s+/, "").trim() }
}
const world = (given: SmallWorld) => writeWorld(folder, given)
const publishWorld = (given: SmallWorld, ...more: readonly string[]) =>
  dataset("publish", "public", "--dataset", world(given), "--key", "feed.key", ...more)
const fetchWorld = (...more: readonly string[]) =>
  dataset("fetch", address, "--key", "feed.key.pub", "-o", "here.landfall", ...more)
const readPublic = (name: string) => readFileSync(join(folder, "public", name), "utf8")

describe("a file of another version of the program", () => {
  /** A release of the program of 2026-11-22, signed by this one. */
  const publishOld = async (name: string) => {
    const bytes = readFileSync("test/fixtures/facts-of-2026-11-22.landfall")
    const packed = gzipSync(bytes)
    const sha256 = createHash("sha256").update(packed).digest("hex")
    const lengths = { bytes: packed.length, unpacked_bytes: bytes.length }
    const shape = { format: 2, oldest_reader: 2, pairs: 1, changes: { major: 0, minor: 0 }, previous: null }
    const release: Release = { version: "old-facts", as_of: "2026-05-20", sha256, ...lengths, ...shape }
    const keys = [readSigningKey(join(folder, `${name}.key`))]
    const { signed } = await signNextIndex({ before: null, release, nowMs: Date.now(), lastsDays: 30, keys })
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, `${sha256}.landfall`), packed)
    writeFileSync(join(folder, name, "index.json"), JSON.stringify(signed))
  }

  it("stops no publisher: the next release is not compared with it, and it can be signed again", async () => {
    await dataset("keygen", "-o", "mended.key")
    await publishOld("mended")
    const publish = (...more: readonly string[]) => dataset("publish", "mended", "--key", "mended.key", ...more)
    const again = await publish()
    expect([again.status, again.said]).toEqual([
      0,
      expect.stringMatching(
        /^mended: signed again, 1 releases\.[\s\S]+\.landfall cannot be opened, so nothing is compared/,
      ),
    ])
    const older = world({ version: "w.0", asOf: "2026-05-01", days: 30 })
    expect((await publish("--dataset", older)).said).toContain("older than the newest release, of 2026-05-20.")
    const next = await publish("--dataset", world({ version: "w.1", days: 90 }), "--json")
    expect(JSON.parse(next.stdout).release).toMatchObject({ previous: "old-facts", changes: { major: 0, minor: 0 } })
  })

  it("stops no follower: the fetched one takes its place, also with a state that cannot be read", async () => {
    await dataset("keygen", "-o", "other.key")
    const other = await serveFolder(join(folder, "other"))
    await dataset("publish", "other", "--dataset", world({ version: "w.1", days: 90 }), "--key", "other.key")
    copyFileSync("test/fixtures/facts-of-2026-11-22.landfall", join(folder, "mine.landfall"))
    writeFileSync(join(folder, "mine.landfall.feed"), "{")
    const fetched = await dataset("fetch", `${other.url}/index.json`, "--key", "other.key.pub", "-o", "mine.landfall")
    await other.close()
    expect([fetched.status, fetched.said.replace(/\s+/g, " ")]).toEqual([
      0,
      expect.stringMatching(
        /^mine\.landfall: dataset w\.1 .+ mine\.landfall\.feed cannot be read\. The feed is followed as a new one\. mine\.landfall cannot be opened and is not compared: /,
      ),
    ])
    expect((await dataset("verify", "mine.landfall")).said).toContain("Dataset w.1")
  })
})

describe("landfall dataset keygen, publish, rotate and fetch", () => {
  it("makes key files that only their owner may read, and overwrites none", async () => {
    const made = await dataset("keygen", "-o", "feed.key", "--json")
    const { public_key } = JSON.parse(made.stdout)
    expect(readFileSync(join(folder, "feed.key.pub"), "utf8")).toBe(`${public_key}\n`)
    expect(statSync(join(folder, "feed.key")).mode & 0o777).toBe(0o600)
    expect(await dataset("keygen", "-o", "feed.key")).toMatchObject({
      status: 1,
      said: "feed.key: exists already, and is not overwritten.",
    })
  })

  it("publishes a first release without changes", async () => {
    const { said, status } = await publishWorld({ version: "w.1", days: 90 }, "--url", "https://feed.example/visa")
    expect([status, said]).toEqual([
      0,
      expect.stringMatching(
        /^public: dataset w\.1, \d+ bytes, 0 major and 0 minor changes\. Index 1 is valid until \d{4}-\d\d-\d\dT/,
      ),
    ])
    expect(
      readdirSync(join(folder, "public"))
        .map(name => name.replace(/^[0-9a-f]{64}/, "SHA-256"))
        .sort(),
    ).toEqual(["SHA-256.landfall", "changes.atom", "changes.ics", "changes.json", "index.json"])
    expect(listAtomFaults(readPublic("changes.atom"))).toEqual([])
    expect(readPublic("changes.atom")).toContain('href="https://feed.example/visa/changes.atom"')
  })

  it("is fetched, and reports when there is nothing new", async () => {
    const fetched = await fetchWorld()
    expect([fetched.status, fetched.said]).toEqual([
      0,
      expect.stringMatching(/^here\.landfall: dataset w\.1 of 2026-06-01, /),
    ])
    expect((await dataset("verify", "here.landfall")).said).toContain("here.landfall: sound. Dataset w.1")
    const again = await fetchWorld()
    expect([again.status, again.said]).toEqual([0, "here.landfall: nothing new. The index has not changed."])
  })

  it("publishes past and announced changes, for programs and for people", async () => {
    const next = { version: "w.2", asOf: "2026-06-02", days: 30, visaFrom: "2099-01-01" }
    expect((await publishWorld(next)).said).toContain("1 major and 0 minor changes")
    const { changes } = JSON.parse(readPublic("changes.json"))
    expect(
      changes.map(({ type, passport, destination, severity }: Record<string, string>) => [
        type,
        passport,
        destination,
        severity,
      ]),
    ).toEqual([
      ["visa.policy_changed", "AAA", "CCC", "major"],
      ["visa.policy_announced", "AAA", "CCC", "major"],
    ])
    expect(listAtomFaults(readPublic("changes.atom"))).toEqual([])
    expect(readPublic("changes.atom").match(/<entry>/g)).toHaveLength(2)
    const { events } = await readCalendar(readPublic("changes.ics"))
    expect(events.map(({ start, summary }) => [start, summary])).toEqual([
      ["2099-01-01", "CCC for passports of AAA: a visa beforehand (before: no visa, 30 days)"],
    ])
    const before = readPublic("changes.ics") + readPublic("changes.atom")
    expect((await dataset("publish", "public", "--key", "feed.key")).said).toContain(
      "public: signed again, 2 releases. Index 3 ",
    )
    expect(readPublic("changes.ics") + readPublic("changes.atom")).toBe(before)
  })

  it("limits how much changes at once unless it is forced", async () => {
    expect((await fetchWorld("--json")).stdout).toContain('"version": "w.2"')
    const other = ["fetch", address, "--key", "feed.key.pub", "-o", "other.landfall"]
    copyFileSync("test/fixtures/passport-index-2025-01-12.landfall", join(folder, "other.landfall"))
    const refused = await dataset(...other)
    expect([refused.status, refused.said]).toEqual([
      1,
      "too_many_changes: Dataset w.2 changes 80 % of pairs; 10 % are allowed at once.",
    ])
    expect((await dataset("info", "other.landfall", "--json")).stdout).not.toContain('"w.2"')
    expect((await dataset(...other, "--force")).said).toMatch(/^other\.landfall: dataset w\.2 of 2026-06-02, /)
  })

  it("rotates keys, and fetches with the first key as before", async () => {
    await dataset("keygen", "-o", "next.key")
    const change = ["rotate", "public", "--owner", "next.key.pub", "--signer", "next.key.pub"]
    expect(await dataset(...change, "--key", "feed.key")).toMatchObject({
      status: 1,
      said: "Give the private keys of enough owners: of those before the change, and of those after.",
    })
    expect((await dataset(...change, "--key", "feed.key", "--key", "next.key")).said).toMatch(
      /^public: keys of version 1\./,
    )
    expect((await fetchWorld()).said).toBe("here.landfall: nothing new. Dataset w.2 is in use.")
    await publishWorld({ version: "w.3", asOf: "2026-06-03", days: 30 })
    expect((await fetchWorld()).said).toContain("bad_signature: No trusted key (of version 1) signed the index.")
    await dataset("publish", "public", "--key", "next.key")
    expect((await fetchWorld("--force")).said).toMatch(/^here\.landfall: dataset w\.3 of 2026-06-03/)
  })

  it("publishes one release at a time, and after a process that was killed", async () => {
    const lock = join(folder, "public/.publishing")
    const [index, names] = [readPublic("index.json"), readdirSync(join(folder, "public"))]
    const program = `const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
      const lock = new DatabaseSync(${JSON.stringify(lock)})
      lock.exec("BEGIN EXCLUSIVE")
      process.stdin.on("data", () => lock.close())
      process.stdout.write("locked")`
    const other = spawn(process.execPath, ["--eval", program], { stdio: ["pipe", "pipe", "ignore"] })
    await once(other.stdout, "data")
    const said = "public: another process publishes to it."
    expect(await dataset("publish", "public", "--key", "next.key")).toMatchObject({ status: 1, said })
    const change = ["--key", "next.key", "--owner", "next.key.pub", "--signer", "next.key.pub"]
    expect(await dataset("rotate", "public", ...change)).toMatchObject({ status: 1, said })
    expect(readPublic("index.json")).toBe(index)
    other.kill("SIGKILL")
    await once(other, "exit")
    expect((await dataset("publish", "public", "--key", "next.key")).said).toContain("public: signed again")
    expect(readdirSync(join(folder, "public"))).toEqual(names)
  })

  it("refuses what cannot be published or followed, and writes nothing", async () => {
    const before = readPublic("index.json")
    expect((await publishWorld({ version: "w.3", asOf: "2026-06-03", days: 10 })).said).toMatch(
      /w\.3\.landfall: dataset w\.3 is published already\. A new release needs a new version\.$/,
    )
    expect((await publishWorld({ version: "w.4", asOf: "2026-05-01", days: 10 })).said).toMatch(
      /dataset w\.4 is of 2026-05-01, older than the newest release, of 2026-06-03\.$/,
    )
    writeFileSync(join(folder, "no.key"), "secret")
    expect((await dataset("publish", "public", "--key", "no.key")).said).toBe(
      "no.key: is not a private key; landfall dataset keygen makes one.",
    )
    expect((await dataset("publish", "public", "--key", "feed.key", "--days", "0")).said).toContain(
      "--days: a whole number from 1 to 366 is expected, not 0.",
    )
    expect((await publishWorld({ version: "w.5", days: 1 }, "--url", "ftp://x")).said).toContain(
      '--url: an http or https URL of a folder is expected, not "ftp://x".',
    )
    mkdirSync(join(folder, "empty"))
    expect((await dataset("publish", "empty", "--key", "feed.key")).said).toContain(
      "empty has no release to sign again: give a dataset with --dataset.",
    )
    expect((await dataset("fetch", address, "--key", "abc")).said).toContain(
      '"abc" is neither an Ed25519 public key in base64url nor a file that holds one.',
    )
    writeFileSync(join(folder, "empty/index.json"), "{}")
    expect((await dataset("publish", "empty", "--key", "feed.key")).said).toBe(
      "empty/index.json: is not an index of this program.",
    )
    expect(readPublic("index.json")).toBe(before)
  })
})
