/**
 * Apple's and Google's services as far as a provider sees them, on this machine: over TLS, Apple's over HTTP/2. They believe nobody whose
 * token is not signed by the right key, and answer each device as the test says.
 */
import { generateKeyPairSync, type KeyObject } from "node:crypto"
import { createSecureServer, type ServerHttp2Session } from "node:http2"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { jwtVerify } from "jose"
import { makeCertificate } from "./certificate.ts"

const certificate = makeCertificate()

/** Has this process trust the servers; answers how to undo it. */
export function trustServers(): () => void {
  const before = getCACertificates("default")
  setDefaultCACertificates([...before, certificate.cert])
  return () => setDefaultCACertificates(before)
}

/** What a service answers. */
export interface Reply {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Ends the connection instead. */
  readonly resets?: true
  /** Answers nothing. */
  readonly hangs?: true
}

/** A push as it arrived. */
export interface Arrived {
  readonly token: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Readonly<Record<string, never>>
}

const listen = (server: {
  listen: (port: number, host: string, done: () => void) => unknown
  address: () => unknown
}) =>
  new Promise<string>(resolve => {
    server.listen(0, "127.0.0.1", () => resolve(`https://localhost:${(server.address() as AddressInfo).port}`))
  })

const pem = (key: KeyObject) => key.export({ type: "pkcs8", format: "pem" }) as string

/** Apple's Push Notification service. `answer`: what a device's push comes to. */
export async function startApns(answer: (token: string, at: number) => Reply = () => ({ status: 200 })) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const arrived: Arrived[] = []
  const providerTokens = new Set<string>()
  const sessions = new Set<ServerHttp2Session>()
  let sessionCount = 0
  const server = createSecureServer(certificate)
  server.on("session", session => {
    sessionCount++
    sessions.add(session)
    session.on("close", () => sessions.delete(session))
    session.on("error", () => {})
  })
  server.on("stream", (stream, headers) => {
    let text = ""
    stream.setEncoding("utf8")
    stream.on("error", () => {})
    stream.on("data", chunk => {
      text += chunk
    })
    stream.on("end", async () => {
      const token = String(headers[":path"]).replace("/3/device/", "")
      const refuse = (status: number, reason: string) => {
        stream.respond({ ":status": status })
        stream.end(JSON.stringify({ reason }))
      }
      const authorization = String(headers.authorization).replace(/^bearer /, "")
      try {
        const { payload, protectedHeader } = await jwtVerify(authorization, publicKey, { algorithms: ["ES256"] })
        if (protectedHeader.kid !== "KEYID12345" || payload.iss !== "TEAMID1234") throw new Error("another key")
      } catch {
        return refuse(403, "InvalidProviderToken")
      }
      providerTokens.add(authorization)
      if (headers["apns-topic"] !== "org.example.app") return refuse(400, "TopicDisallowed")
      const reply = answer(token, arrived.push({ token, headers, body: JSON.parse(text) }))
      if (reply.hangs) return
      if (reply.resets) return stream.session?.destroy()
      stream.respond({ ":status": reply.status, ...reply.headers })
      stream.end(reply.body === undefined ? "" : JSON.stringify(reply.body))
    })
  })
  const url = await listen(server)
  return {
    url,
    arrived,
    providerTokens,
    countSessions: () => sessionCount,
    account: { url, keyId: "KEYID12345", teamId: "TEAMID1234", topic: "org.example.app" },
    keyText: pem(privateKey),
    [Symbol.asyncDispose]: () =>
      new Promise<void>(resolve => {
        for (const session of sessions) session.destroy()
        server.close(() => resolve())
      }),
  }
}

/** Firebase Cloud Messaging, with the service that gives access tokens. */
export async function startFcm(answer: (token: string, at: number) => Reply = () => ({ status: 200 })) {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
  const arrived: Arrived[] = []
  const accessTokens: string[] = []
  const grants: unknown[] = []
  const valid = new Set<string>()
  let url = ""
  const server = createServer(certificate, (request, response) => {
    let text = ""
    request.setEncoding("utf8")
    request.on("data", chunk => {
      text += chunk
    })
    request.on("end", async () => {
      const send = ({ status, body = {}, headers = {} }: Reply) => {
        response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))
      }
      if (request.url === "/token") {
        const assertion = new URLSearchParams(text).get("assertion") ?? ""
        try {
          const verified = await jwtVerify(assertion, publicKey, { algorithms: ["RS256"], audience: `${url}/token` })
          grants.push(verified.payload)
        } catch {
          return send({ status: 400, body: { error: "invalid_grant" } })
        }
        const token = `access-${accessTokens.length + 1}`
        accessTokens.push(token)
        valid.add(token)
        return send({ status: 200, body: { access_token: token, expires_in: 3_600, token_type: "Bearer" } })
      }
      const access = String(request.headers.authorization).replace(/^Bearer /, "")
      if (!valid.has(access)) return send({ status: 401, body: { error: { code: 401, status: "UNAUTHENTICATED" } } })
      if (request.url !== "/v1/projects/landfall-test/messages:send") return send({ status: 404 })
      const body = JSON.parse(text)
      const { token } = body.message
      const reply = answer(token, arrived.push({ token, headers: request.headers, body }))
      if (reply.hangs) return
      if (reply.resets) return request.socket.destroy()
      send({ body: { name: "projects/landfall-test/messages/1" }, ...reply })
    })
  })
  url = await listen(server)
  return {
    url,
    arrived,
    accessTokens,
    grants,
    /** Has every access token that was given be refused from now on. */
    revoke: () => valid.clear(),
    serviceAccount: {
      type: "service_account",
      project_id: "landfall-test",
      client_email: "push@landfall-test.iam.gserviceaccount.com",
      private_key: pem(privateKey),
      token_uri: `${url}/token`,
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>(resolve => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

/** What an unregistered token comes to at Google's. */
export const UNREGISTERED: Reply = {
  status: 404,
  body: {
    error: {
      code: 404,
      status: "NOT_FOUND",
      details: [{ "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", errorCode: "UNREGISTERED" }],
    },
  },
}
