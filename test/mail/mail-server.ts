/** A mail server on a free port of this machine, which keeps the mails that it receives and can refuse recipients. */
import type { AddressInfo } from "node:net"
import { SMTPServer } from "smtp-server"

/** A received mail. */
export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /** Headers and body as they were sent. */
  readonly raw: string
  readonly headers: Readonly<Record<string, string>>
  /** The plain text. */
  readonly text: string
  readonly html: string
}

/** What a server does with a recipient. */
export type Reception = "taken" | "refused" | "later"

export interface MailServer extends AsyncDisposable {
  readonly port: number
  readonly received: ReceivedMail[]
  /** How every recipient is received from now on. */
  reception: Reception
  readonly until: (isSo: (received: readonly ReceivedMail[]) => boolean) => Promise<void>
}

const decodeQuotedPrintable = (text: string): string =>
  Buffer.from(
    text
      .replaceAll(/=\r\n/g, "")
      .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  ).toString("utf8")

function decodePart(part: string): string {
  const [head = "", ...rest] = part.split("\r\n\r\n")
  const body = rest.join("\r\n\r\n")
  if (/content-transfer-encoding: base64/i.test(head)) return Buffer.from(body, "base64").toString("utf8")
  return /quoted-printable/i.test(head) ? decodeQuotedPrintable(body) : body
}

function readMail(from: string, to: readonly string[], raw: string): ReceivedMail {
  const [head = "", ...rest] = raw.split("\r\n\r\n")
  const headers = Object.fromEntries(
    head
      .replaceAll(/\r\n[ \t]+/g, " ")
      .split("\r\n")
      .map(line => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  )
  const boundary = /boundary="([^"]+)"/.exec(headers["content-type"] ?? "")?.[1] ?? "\0"
  const parts = rest.join("\r\n\r\n").split(`--${boundary}`)
  const find = (type: string) =>
    decodePart((parts.find(part => part.includes(`Content-Type: ${type}`)) ?? "").replace(/^\r\n/, ""))
  return { from, to, raw, headers, text: find("text/plain").replaceAll("\r\n", "\n"), html: find("text/html") }
}

/** Starts a server. */
export async function startMailServer(): Promise<MailServer> {
  const received: ReceivedMail[] = []
  const waiting = new Set<() => void>()
  const state: { reception: Reception } = { reception: "taken" }
  const refusals = { refused: [550, "no such user"], later: [451, "try later"] } as const
  const server = new SMTPServer({
    disabledCommands: ["AUTH", "STARTTLS"],
    onRcptTo: (_, __, callback) => {
      if (state.reception === "taken") return callback()
      const [responseCode, message] = refusals[state.reception]
      callback(Object.assign(new Error(message), { responseCode }))
    },
    onData: (stream, { envelope }, callback) => {
      let raw = ""
      stream.setEncoding("utf8")
      stream.on("data", (piece: string) => {
        raw += piece
      })
      stream.on("end", () => {
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address
        const to = envelope.rcptTo.map(({ address }) => address)
        received.push(readMail(from, to, raw))
        callback()
        for (const look of waiting) look()
      })
    },
  })
  server.on("error", () => {})
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
  const until: MailServer["until"] = isSo =>
    new Promise(resolve => {
      const look = () => {
        if (!isSo(received)) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
    })
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    get reception() {
      return state.reception
    },
    set reception(to) {
      state.reception = to
    },
    until,
    [Symbol.asyncDispose]: () => new Promise<void>(resolve => server.close(() => resolve())),
  }
}

/** The link of a mail. */
export const linkOf = (mail: ReceivedMail | undefined): string => /https?:\/\/\S+/.exec(mail?.text ?? "")?.[0] ?? ""
