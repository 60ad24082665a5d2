/** A service that mails, and what a person does to register and to sign in. */
import { afterAll, assert, beforeAll } from "vitest"
import { linkOf, type MailServer, startMailServer } from "../../mail/mail-server.ts"
import { type Reply, startTestService, type TestService } from "../service.ts"

export const V1 = "/api/v1/visa"
/** When the clock of the service stands still. */
export const NOW = Date.parse("2026-11-21T12:00:00Z")

export let mails: MailServer
export let running: TestService

/** Starts both for the tests of a file. */
export const useSignup = () => {
  beforeAll(async () => {
    mails = await startMailServer()
    running = await startTestService({
      stoppedAt: NOW,
      env: {
        LANDFALL_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
        LANDFALL_MAIL_FROM: "Landfall, Inc. <visa@example.org>",
        LANDFALL_STRIPE_SECRET_KEY: "sk_live_of_the_tests",
        LANDFALL_STRIPE_WEBHOOK_SECRET: "whsec_of_the_tests",
        LANDFALL_TRUSTED_PROXIES: "127.0.0.1",
      },
    })
  })
  afterAll(async () => {
    await running[Symbol.asyncDispose]()
    await mails[Symbol.asyncDispose]()
  })
}

export const post = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
  running.ask(V1 + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  })

/** An address from which nobody has asked before. */
let strangers = 0
export const stranger = () => ({ "x-forwarded-for": `198.51.100.${++strangers}` })

export const register = (email: string, rest: object = {}) =>
  post("/register", { name: "Ana Lima", email, ...rest }, stranger())

/** The mails to an address, once there are so many. */
export async function mailsTo(email: string, count = 1) {
  const to = () => mails.received.filter(mail => mail.to[0]?.toLowerCase() === email.toLowerCase())
  await mails.until(() => to().length >= count)
  return to()
}

export const cookieOf = (reply: Reply) => String(reply.headers["set-cookie"]?.[0]).split(";")[0] as string

/** The token of the last link that was mailed to an address. */
export const tokenFor = async (email: string, count = 1) =>
  new URL(linkOf((await mailsTo(email, count)).at(-1))).searchParams.get("token") as string

export const confirm = (token: string, headers: Record<string, string> = {}) =>
  post("/auth/confirm", { token }, headers)

/** Follows the last link that was mailed to an address. */
export const follow = async (email: string, count = 1) => confirm(await tokenFor(email, count))

export const readKey = async (cookie: string) =>
  (await running.ask(`${V1}/auth/ensure-key`, { headers: { cookie } })).read("api_key") as string

/** Registers, follows the link, and answers the cookie and the key. */
export async function signUp(email: string) {
  const registered = await register(email)
  assert.strictEqual(registered.status, 200, registered.text)
  const confirmed = await follow(email)
  assert.strictEqual(confirmed.status, 200, confirmed.text)
  const cookie = cookieOf(confirmed)
  return { first: registered.read("api_key") as string, key: await readKey(cookie), cookie }
}
