import { rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createFetchService, type FetchService } from "../../adapters/programs/run/mount.ts"
import { makeFolder } from "./service.ts"

const PAIR = "/api/v1/visa?passport=FRA&destination=JPN"

let folder = ""
let mounted: FetchService
beforeAll(async () => {
  folder = makeFolder()
  mounted = await createFetchService({
    databaseUrl: `file:${join(folder, "landfall.db")}`,
    publicUrl: "https://visa.example",
    logLevel: "error",
  })
})
afterAll(async () => {
  await mounted.close()
  rmSync(folder, { recursive: true })
})

const ask = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  mounted.fetch(new Request(`https://visa.example${path}`, { headers }))

/** The message with which a promise rejects. */
const refusalOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => assert.fail("it was not refused"),
    (cause: Error) => cause.message,
  )

describe("a mounted service", () => {
  const owner = { name: "Ana Lima", email: "ana@example.org", plan: "hobby" } as const

  it("makes a key for whoever mounts it, and the key opens what its plan has", async () => {
    const { key } = await mounted.createAccount(owner)
    const reply = await ask(PAIR, { "x-api-key": key })
    assert.strictEqual(reply.status, 200)
    assert.strictEqual(reply.headers.get("x-plan"), "hobby")
    assert.strictEqual(await refusalOf(mounted.createAccount(owner)), "email: an account has this address already.")
  })

  it("names every field of an owner that is none", async () => {
    const message = await refusalOf(mounted.createAccount({ name: "", email: "ana", plan: "gold" as never }))
    assert.deepStrictEqual(
      message.split("\n").map(line => line.split(":")[0]),
      ["name", "email", "plan"],
    )
  })

  it("does not start with an option that is none", async () => {
    const start = createFetchService({ databaseUrl: `file:${join(folder, "x.db")}`, publicUrl: "nowhere" })
    assert.match(await refusalOf(start), /^publicUrl: "nowhere" was given; allowed is an http or https URL/)
  })

  it("shows a browser at / the explorer page, and tells a program what there is", async () => {
    const page = await ask("/", { accept: "text/html,application/xhtml+xml,*/*;q=0.8" })
    assert.strictEqual(page.status, 200)
    assert.match(String(page.headers.get("content-security-policy")), /^default-src 'none';.*frame-ancestors 'none'$/)
    const [script] = /page-\w+\.js/.exec(await page.text()) ?? []
    assert.strictEqual((await ask(`/${script}`)).headers.get("cache-control"), "public, max-age=31536000, immutable")
    const index = (await (await ask("/")).json()) as Record<string, unknown>
    assert.strictEqual(index.openapi, "https://visa.example/openapi.json")
    assert.include(index, { name: "landfall" })
  })

  it("has an icon", async () => {
    const icon = await ask("/favicon.ico")
    assert.strictEqual(icon.headers.get("content-type"), "image/png")
    assert.deepStrictEqual(
      [...(await icon.bytes()).slice(1, 4)],
      [..."PNG"].map(letter => letter.charCodeAt(0)),
    )
  })
})
