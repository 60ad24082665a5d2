/**
 * How do operators reach the service without its command line?
 *
 * A server on an address of its own, off by default and never on the service's port. Each operator has a name and a token: as a bearer
 * token, or in a browser as name and password. Tokens are compared in constant time, wrong ones are limited, and a request that another
 * site makes a browser send is refused, as is one that names another host (a name that an attacker points here). `GET /` shows what is wrong now,
 * `GET /NAME` a view as a page, `GET /v1/NAME` as JSON; acts take POST.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"
import { isIP } from "node:net"
import { Clock, Effect } from "effect"
import { RequestWindow } from "../../quota/meter.ts"
import type { AdminListen, AdminToken } from "../../settings/settings.ts"
import type { Unavailable } from "../../storage/storage-errors.ts"
import { formatAuthority, isLoopbackHost, nameClient } from "../../validation/addresses.ts"
import { describeIssues, readJsonFields } from "../../validation/fields.ts"
import { makeSheet } from "../page/design.ts"
import { readParameters } from "../pipeline/endpoint.ts"
import { describeProblem, type HostedRequest } from "../pipeline/http-message.ts"
import type { Reply } from "../pipeline/pipeline.ts"
import { type Html, html } from "../routes/accounts/page/html.ts"
import { HELD_LIMITS, HeldBytes } from "../server/held-bytes.ts"
import { LIMITS, listenOn } from "../server/http-server.ts"
import { makeNodeListener } from "../server/node-host.ts"
import {
  type Act,
  findOperation,
  OPERATIONS,
  type Operating,
  type Operation,
  type OperationRow,
  type OperationServices,
  TROUBLES,
  type Trouble,
  type View,
  type Viewed,
} from "./operations.ts"

// How is an operation shown in a browser? As a plain page for each view, with the forms of its actions; without scripts, and with a policy
// that allows none.

const PAGE_POLICY = "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** Where the style is. */
const STYLE_PATH = "/style.css"

export const STYLE = makeSheet(`header, main { max-width: 80rem }
th, td { max-width: 24rem; overflow-wrap: break-word }
thead th { white-space: nowrap }
nav a { text-transform: capitalize }
h1::first-letter { text-transform: uppercase }
input:not([type="checkbox"]), select { max-width: 16rem }
`)

const writeValue = (value: OperationRow[string] | undefined): string =>
  value === null || value === undefined ? "–" : String(value)

const labelOf = (name: string): string => name.replaceAll("_", " ")

/** Links a number to its records. */
const RECORDS: Readonly<Record<string, string>> = {
  "receivers webhook": "/deliveries?webhook=",
  "accounts account": "/keys?account=",
}

/** A view's table, which scrolls sideways where it is wider than the screen. */
function writeTable({ name, summary }: View, { rows }: Viewed): Html {
  const columns = Object.keys(rows[0] ?? {})
  const writeCell = (value: string, link: string | undefined): Html =>
    html`<td>${link === undefined ? value : html`<a href="${link}${value}">${value}</a>`}</td>`
  const written = rows.map(
    row => html`<tr>${columns.map(column => writeCell(writeValue(row[column]), RECORDS[`${name} ${column}`]))}</tr>`,
  )
  const table = html`<table><caption>${summary}</caption><thead><tr>${columns.map(column => html`<th scope="col">${labelOf(column)}</th>`)}</tr></thead>
<tbody>${written}</tbody></table>`
  return html`<div class="wide" role="region" tabindex="0" aria-label="${labelOf(name)}">${rows.length === 0 ? html`<p>There are none.</p>` : table}</div>`
}

type Given = Readonly<Record<string, string>>

const writeFields = ({ name: of, fields }: Operation, given: Given): readonly Html[] =>
  Object.entries(fields)
    .filter(([name]) => name !== "cursor")
    .map(([name, { isRequired, document }]) => {
      const id = `${of}-${name}`
      const value = given[name] ?? ""
      const options = document.enum ?? []
      const input =
        options.length === 0
          ? html`<input id="${id}" name="${name}" value="${value}"${isRequired ? html` required` : ""}>`
          : html`<select id="${id}" name="${name}">${isRequired ? "" : html`<option value=""></option>`}${options.map(option => html`<option value="${option}"${option === value ? html` selected` : ""}>${option}</option>`)}</select>`
      return html`<p><label for="${id}">${labelOf(name)}</label> ${input} <small>${document.description}</small></p>`
    })

const writeAct = (act: Act, given: Given): Html =>
  html`<form method="post" action="/${act.name}"><fieldset><legend>${act.summary}</legend>${writeFields(act, given)}<p><button>${act.summary}</button></p></fieldset></form>`

const frame = (title: string, body: Html, heading = labelOf(title)): string => {
  const ways = ["now", ...OPERATIONS.filter(({ isAct }) => !isAct).map(({ name }) => name)]
  const links = ways.map(
    name =>
      html`<li><a href="/${name === "now" ? "" : name}"${name === title ? html` aria-current="page"` : ""}>${labelOf(name)}</a></li>`,
  )
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title} – operators</title><link rel="stylesheet" href="${STYLE_PATH}"></head>
<body><header><p class="mark"><a href="/">Landfall</a></p><nav aria-label="Views"><ul>${links}</ul></nav></header><main><h1>${heading}</h1>${body}</main></body></html>`
    .text
}

/** Something that is wrong now. */
interface Found {
  readonly trouble: Trouble
  readonly row: OperationRow
}

function writeFound({ trouble, row }: Found): Html {
  const help = trouble.help?.(row) ?? null
  const act = help === null ? undefined : findOperation(help.act)
  const hidden = Object.entries(help?.fields ?? {}).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  const more = trouble.view === "receivers" ? `/deliveries?webhook=${row.webhook}` : `/${trouble.view}`
  return html`<section><p class="word stop">Failing</p><h2>${trouble.say(row)}</h2>
${act !== undefined && html`<form method="post" action="/${act.name}">${hidden}<button>${act.summary}</button></form>`}
<p><a href="${more}">See ${labelOf(more.slice(1).split("?")[0] ?? "")}</a></p></section>`
}

/** The first page: what is wrong now, then some views. */
function writeNow(found: readonly Found[], views: Readonly<Record<string, Viewed>>): string {
  const heading =
    found.length === 0
      ? "Nothing is wrong."
      : `${found.length} ${found.length === 1 ? "thing is" : "things are"} wrong.`
  const tables = Object.entries(views).map(([name, viewed]) => writeTable(findOperation(name) as View, viewed))
  return frame("now", html`${found.map(writeFound)}${tables}`, heading)
}

/**
 * The page of a view, with the given fields and the forms of its actions; only the form of its fields where it cannot be shown without them,
 * with a message where what was given is wrong.
 */
function writeView(view: View, given: Given, viewed: Viewed | null, message: string | null = null): string {
  const acts = OPERATIONS.filter(operation => operation.isAct && operation.beside === view.name) as readonly Act[]
  const fields = writeFields(view, given)
  const cursor = viewed?.next_cursor
  const next = new URLSearchParams({ ...given, cursor: cursor ?? "" })
  return frame(
    view.name,
    html`${message !== null && html`<p role="status" class="notice wrong">${message}</p>`}
${fields.length > 0 && html`<form action="/${view.name}">${fields}<p><button>Show</button></p></form>`}
${viewed !== null && writeTable(view, viewed)}
${typeof cursor === "string" && html`<p><a href="/${view.name}?${String(next)}">Next page</a></p>`}
${viewed !== null && acts.map(act => writeAct(act, given))}`,
  )
}

/** The result of an action, or the reason why it was refused. */
const writeOutcome = (act: Act, message: string, given: Given): string => {
  const back = new URLSearchParams(given)
  return frame(
    act.name,
    html`<p role="status" class="notice">${message}</p><p><a href="/${act.beside}?${String(back)}">Back to ${labelOf(act.beside)}</a></p>`,
  )
}

// How are requests answered?

/** How many wrong tokens an address may send in a minute, and all addresses together. */
const WRONG_TOKENS = { ofAddress: 10, inAll: 100 } as const
const HEADERS = [
  ...["cache-control", "no-store", "content-security-policy", PAGE_POLICY, "referrer-policy", "same-origin"],
  ...["x-content-type-options", "nosniff", "x-frame-options", "DENY"],
  ...["cross-origin-opener-policy", "same-origin", "cross-origin-resource-policy", "same-origin"],
]

const reply = (status: number, type: string, body: string, headers: readonly string[] = []): Reply => ({
  status,
  headers: [...HEADERS, "content-type", type, ...headers],
  body,
})
const json = (status: number, body: unknown, headers?: readonly string[]): Reply =>
  reply(status, "application/json", JSON.stringify(body), headers)
const page = (status: number, body: string): Reply => reply(status, "text/html; charset=utf-8", body)

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/**
 * The operator of an `Authorization` header; null for a wrong token, undefined without one. A browser sends the operator's name too. Every
 * token is compared, so that the time reveals nothing.
 */
function findOperator(tokens: readonly AdminToken[], header: string | undefined): string | null | undefined {
  const [, scheme, given = ""] = /^(bearer|basic) +(\S+)$/i.exec(header ?? "") ?? []
  if (scheme === undefined) return undefined
  const isBearer = scheme.toLowerCase() === "bearer"
  const text = isBearer ? `:${given}` : Buffer.from(given, "base64").toString()
  const at = text.indexOf(":")
  const [named, shown] = [text.slice(0, Math.max(0, at)), digest(at < 0 ? "" : text.slice(at + 1))]
  let found: string | null = null
  for (const { name, token } of tokens) {
    if (timingSafeEqual(digest(token), shown) && (isBearer || named === name)) found = name
  }
  return found
}

/** Says whether another site made a browser send this, or a name that somebody else has pointed at this address. */
function comesFromElsewhere(request: HostedRequest, listen: AdminListen): boolean {
  const host = request.header("host") ?? ""
  const named = URL.parse(`http://${host}`)?.hostname.replace(/^\[(.*)\]$/, "$1") ?? ""
  // An address cannot be pointed elsewhere; a name can.
  if (isIP(named) === 0 && !isLoopbackHost(named) && named !== listen.host) return true
  if (!["same-origin", "none"].includes(request.header("sec-fetch-site") ?? "none")) return true
  const origin = request.header("origin")
  return origin !== undefined && URL.parse(origin)?.host !== host
}

/** The fields of a request: of a query, a form, or a JSON object of texts and numbers; null for anything else. */
function readGiven(search: string, body: string, type: string): Given | null {
  if (/^application\/json\b/i.test(type)) {
    const fields = readJsonFields(body === "" ? "{}" : body)
    return fields && Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))
  }
  const all = [...new URLSearchParams(search), ...new URLSearchParams(body)]
  // A field that was left empty was not filled in.
  return Object.fromEntries(all.filter(([, value]) => value !== ""))
}

export interface AdminOptions {
  readonly listen: AdminListen
  readonly tokens: readonly AdminToken[]
  readonly configured: Operating["configured"]
  readonly readMeter: Operating["readMeter"]
}

/** Lists the operations, for programs. */
const listPaths = (isAct: boolean) =>
  OPERATIONS.filter(operation => operation.isAct === isAct).map(({ name, summary }) => ({
    path: `/v1/${name}`,
    summary,
  }))
const INDEX = { views: listPaths(false), acts: listPaths(true) }

/** Runs an operation; returns its answer as JSON or as a page. */
function answer(
  operation: Operation,
  { given, isPage, operating }: { readonly given: Given; readonly isPage: boolean; readonly operating: Operating },
) {
  const refuse = (status: number, message: string): Reply => {
    if (!isPage) return json(status, { error: message })
    if (operation.isAct) return page(status, writeOutcome(operation, message, given))
    // Somebody who has given nothing yet has made no mistake.
    const isNew = Object.keys(given).length === 0
    return page(isNew ? 200 : status, writeView(operation, given, null, isNew ? null : message))
  }
  return Effect.gen(function* () {
    const read = readParameters(operation.fields, given)
    if (!read.ok) return refuse(400, describeIssues(read.issues))
    if (operation.isAct) {
      const message = yield* operation.run(read.values, operating)
      return isPage ? page(200, writeOutcome(operation, message, given)) : json(200, { message })
    }
    const viewed = yield* operation.run(read.values, operating)
    return isPage ? page(200, writeView(operation, given, viewed)) : json(200, viewed)
  }).pipe(Effect.catchTag("OperationRefused", ({ message }) => Effect.succeed(refuse(409, message))))
}

/** Answers with what is wrong now. */
const answerNow = (operating: Operating) =>
  Effect.gen(function* () {
    const read = (name: string, given: Given) => {
      const operation = findOperation(name) as View
      const values = readParameters(operation.fields, given)
      return operation.run(values.ok ? values.values : {}, operating)
    }
    const [queues, day] = [yield* read("queues", {}), yield* read("day", {})]
    const found: Found[] = []
    for (const trouble of TROUBLES) {
      const { rows } = trouble.view === "queues" ? queues : yield* read(trouble.view, trouble.given)
      found.push(...rows.filter(row => trouble.isWrong(row, operating.nowMs)).map(row => ({ trouble, row })))
    }
    return page(200, writeNow(found, { day, queues }))
  }).pipe(Effect.catchTag("OperationRefused", ({ message }) => Effect.succeed(json(409, { error: message }))))

/**
 * Opens the operators' address until the scope ends; returns the address.
 *
 * Fails with `NotListening`.
 */
export const runAdmin = Effect.fnUntraced(function* ({ listen, tokens, ...rest }: AdminOptions) {
  const services = yield* Effect.context<OperationServices>()
  const clock = yield* Clock.Clock
  const windows = { windowMs: 60_000, maximumKeys: WRONG_TOKENS.inAll }
  const ofAddress = new RequestWindow({ limit: WRONG_TOKENS.ofAddress, ...windows })
  const inAll = new RequestWindow({ limit: WRONG_TOKENS.inAll, ...windows })

  const run = (work: Effect.Effect<Reply, Unavailable, OperationServices>) =>
    Effect.catchTag(work, "Unavailable", ({ message }) =>
      Effect.succeed(json(503, { error: message }, ["retry-after", "1"])),
    ).pipe(Effect.provideContext(services), Effect.runPromise)

  const handle = async (request: HostedRequest): Promise<Reply> => {
    if (comesFromElsewhere(request, listen)) return json(403, { error: "This request comes from another site." })
    const { method, path, search, socketAddress: address = "" } = request
    const nowMs = clock.currentTimeMillisUnsafe()
    const operator = findOperator(tokens, request.header("authorization"))
    // A right token is always accepted, so that nobody can lock operators out by guessing. It is too long to be guessed.
    if (operator === null || operator === undefined) {
      if (ofAddress.count(address, nowMs).remaining === 0 || inAll.count("", nowMs).remaining === 0) {
        const error = "There were too many wrong tokens; try again in a minute."
        return json(429, { error }, ["retry-after", "60"])
      }
      if (operator === null) {
        ofAddress.admit(address, nowMs)
        inAll.admit("", nowMs)
      }
      const challenge = ["www-authenticate", 'Basic realm="Landfall operators", charset="UTF-8"']
      return json(401, { error: "An operator's token is required." }, challenge)
    }
    const isPage = !path.startsWith("/v1/")
    const operation = findOperation(path.slice(isPage ? 1 : 4))
    if (operation === undefined && !["/", "/v1", STYLE_PATH].includes(path))
      return json(404, { error: "There is no such path." })
    const methods = operation?.isAct ? ["POST"] : ["GET", "HEAD"]
    if (!methods.includes(method))
      return json(405, { error: `This path takes ${methods[0]}.` }, ["allow", methods.join(", ")])
    if (path === STYLE_PATH) return reply(200, "text/css", STYLE)
    if (path === "/v1") return json(200, INDEX)
    const operating: Operating = { operator, nowMs, ...rest }
    if (operation === undefined) return run(answerNow(operating))
    const body = operation.isAct ? await request.readText() : ""
    if (typeof body !== "string") return json(describeProblem(body).status, { error: describeProblem(body).message })
    const given = readGiven(search, body, request.header("content-type") ?? "")
    if (given === null) return json(400, { error: "The body has to be a JSON object." })
    return run(answer(operation, { given, isPage, operating }))
  }

  const listener = makeNodeListener(
    request => handle(request).catch(() => json(500, { error: "An internal error occurred." })),
    {
      nameClient: ({ socketAddress = "" }) => nameClient(socketAddress),
      held: new HeldBytes(HELD_LIMITS),
    },
  )
  const server = createServer(LIMITS, listener)
  server.maxConnections = 100
  const stop = Effect.callback<void>(resume => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })
  const { port } = yield* listenOn(server, listen, "LANDFALL_ADMIN_LISTEN", stop)
  return `http://${formatAuthority(listen.host, port)}`
})
