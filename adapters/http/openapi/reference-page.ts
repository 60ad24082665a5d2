/**
 * How is the reference shown to people?
 *
 * As one page, written from the OpenAPI document and from recorded answers, which the document does not repeat: how to get a key and make a
 * first call, then every endpoint with a form whose fields have examples. It needs one small script to send requests and one style sheet, both from this service, and can be read without either.
 */
import type { OpenApi } from "effect/http-api"
import { makeSheet } from "../page/design.ts"
import { type Html, html } from "../routes/accounts/page/html.ts"
import answerExamples from "./answer-examples.json" with { type: "json" }

/** The sheet of the reference: the common one, with wider lines and forms that fold. */
export const REFERENCE_STYLE = makeSheet(`header, main { max-width: 60rem }
details { border-top: 1px solid var(--line); padding: 0.5rem 0 }
summary { overflow-wrap: anywhere; min-height: 2rem }
.method { display: inline-block; min-width: 4.5rem; font-weight: 700 }
dl { margin: 0.5rem 0 }
dt { margin-top: 0.35rem; overflow-wrap: anywhere }
dd { margin: 0 0 0 1rem }
form { border-inline-start: 3px solid var(--line); padding-inline-start: 1rem }
textarea { width: 100%; font: var(--small)/1.4 var(--mono) }
select { max-width: 100% }
output { display: block }
pre { max-height: 30rem; overflow: auto }
ol { padding-inline-start: 1.25rem }
`)

/** The script of the reference: it sends a form's request, and shows the answer. */
export const REFERENCE_SCRIPT = `const MOST = 200000
const box = document.getElementById("key")
const NAME = "landfall-key"
const given = /^#key=([\\w.-]+)$/.exec(location.hash)
try {
  if (given) sessionStorage.setItem(NAME, given[1])
  box.value = sessionStorage.getItem(NAME) ?? ""
} catch {
  box.value = given ? given[1] : ""
}
// A key does not stay in the address, which people copy.
if (given) history.replaceState(null, "", location.pathname + location.search)
box.addEventListener("input", () => {
  try { sessionStorage.setItem(NAME, box.value) } catch {}
})

const open = () => {
  const at = document.getElementById(location.hash.slice(1))
  if (at instanceof HTMLDetailsElement) at.open = true
}
addEventListener("hashchange", open)
open()

const readRequest = form => {
  const { method, path, key, type } = form.dataset
  const query = new URLSearchParams()
  const headers = {}
  let target = path.slice(1)
  for (const field of form.querySelectorAll("[data-in]")) {
    const value = field.value.trim()
    if (value === "") continue
    if (field.dataset.in === "path") target = target.replace("{" + field.name + "}", encodeURIComponent(value))
    else if (field.dataset.in === "header") headers[field.name] = value
    else query.append(field.name, value)
  }
  const secret = box.value.trim()
  if (secret !== "" && key === "header") headers["x-api-key"] = secret
  const body = form.querySelector("textarea")?.value
  if (body !== undefined) headers["content-type"] = type
  const url = new URL(target, new URL(".", location.href))
  for (const [name, value] of query) url.searchParams.append(name, value)
  return { url, options: { method, headers, body } }
}

const write = text => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

for (const form of document.querySelectorAll("form[data-method]")) {
  const output = form.querySelector("output")
  const stop = form.querySelector("[data-stop]")
  let asked = null
  stop.addEventListener("click", () => asked?.abort())
  form.addEventListener("submit", async event => {
    event.preventDefault()
    asked?.abort()
    const mine = new AbortController()
    asked = mine
    const line = document.createElement("p")
    const shown = document.createElement("pre")
    output.replaceChildren(line, shown)
    stop.hidden = false
    try {
      const { url, options } = readRequest(form)
      line.textContent = options.method + " " + url.pathname + url.search
      const reply = await fetch(url, { ...options, signal: mine.signal })
      line.textContent += " · " + reply.status + " " + reply.statusText
      const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader()
      let text = ""
      for (let part = await reader?.read(); part && !part.done && text.length < MOST; part = await reader.read()) {
        text += part.value
        shown.textContent = text.slice(0, MOST)
      }
      if (text.length < MOST) shown.textContent = write(text)
      else {
        shown.textContent += "\\n…"
        await reader.cancel()
      }
    } catch (cause) {
      if (asked === mine) line.textContent += mine.signal.aborted ? " · stopped" : " · " + cause.message
    }
    if (asked === mine) stop.hidden = true
  })
}
`

interface SchemaDocument {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly items?: SchemaDocument
  readonly anyOf?: readonly SchemaDocument[]
  readonly allOf?: readonly SchemaDocument[]
  readonly properties?: Readonly<Record<string, SchemaDocument>>
  readonly required?: readonly string[]
}

type Content = Readonly<Record<string, { readonly schema?: SchemaDocument; readonly example?: unknown }>>

/** What may stand elsewhere in the document. */
interface Referred {
  readonly $ref?: string
}

export interface ParameterDocument extends Referred {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: SchemaDocument
  readonly example?: unknown
}

interface OperationDocument {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly tags: readonly string[]
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly ParameterDocument[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, Referred & { readonly description: string; readonly content?: Content }>>
}

type Schemas = Readonly<Record<string, SchemaDocument>>

/** Puts the parameters and answers that several operations share into an operation. */
function openOperation(operation: OperationDocument, document: OpenApi.OpenAPISpec): OperationDocument {
  const find = <Of extends Referred>(value: Of): Of => {
    const [kind = "", name = ""] = value.$ref?.split("/").slice(2) ?? []
    return value.$ref === undefined
      ? value
      : ((document.components as unknown as Record<string, Record<string, Of>>)[kind]?.[name] as Of)
  }
  const { parameters = [], responses, security = document.security as OperationDocument["security"] } = operation
  return {
    ...operation,
    ...(security === undefined ? {} : { security }),
    parameters: parameters.map(find),
    responses: Object.fromEntries(Object.entries(responses).map(([status, response]) => [status, find(response)])),
  }
}

const ANSWERS: Readonly<Record<string, unknown>> = answerExamples

/** Text as JSON for people, and any other value as it is. */
const show = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value, null, 2))

const resolve = (schema: SchemaDocument | undefined, schemas: Schemas): SchemaDocument =>
  (schema?.$ref === undefined ? schema : schemas[schema.$ref.replace("#/components/schemas/", "")]) ?? {}

/** The kind of a value in a few words. */
function nameKind(schema: SchemaDocument, schemas: Schemas): string {
  const { type, anyOf, items, enum: words } = resolve(schema, schemas)
  if (anyOf !== undefined) return [...new Set(anyOf.map(each => nameKind(each, schemas)))].join(" or ")
  if (words !== undefined) return words.map(show).join(" | ")
  if (type === "array") return `list of ${nameKind(items ?? {}, schemas)}`
  return type === undefined ? "any value" : [type].flat().join(" or ")
}

/** The top-level fields of an answer or a body, those of the schemas that it extends too. */
function listFields(schema: SchemaDocument | undefined, schemas: Schemas): Readonly<Record<string, SchemaDocument>> {
  const { allOf = [], properties } = resolve(schema, schemas)
  return Object.assign({}, ...allOf.map(each => listFields(each, schemas)), properties)
}

function writeFields(schema: SchemaDocument | undefined, schemas: Schemas): Html | null {
  const properties = listFields(schema, schemas)
  if (Object.keys(properties).length === 0) return null
  return html`<dl>${Object.entries(properties).map(
    ([name, field]) =>
      html`<dt><code>${name}</code> <span class="soft">${nameKind(field, schemas)}</span></dt>
<dd>${field.description ?? resolve(field, schemas).description ?? ""}</dd>`,
  )}</dl>`
}

function writeParameter(parameter: ParameterDocument, operation: string): Html {
  const { name, in: place, required = false, description, schema, example } = parameter
  const id = `${operation}-${name}`
  const hint = example === undefined ? "" : show(example)
  const words = schema.enum?.map(String)
  const value = required ? hint : ""
  const field =
    words === undefined
      ? html`<input id="${id}" name="${name}" data-in="${place}" value="${value}" placeholder="${hint}"${required && html` required`} autocomplete="off" spellcheck="false">`
      : html`<select id="${id}" name="${name}" data-in="${place}">${required ? null : html`<option value=""></option>`}${words.map(
          word => html`<option${word === value && html` selected`}>${word}</option>`,
        )}</select>`
  return html`<p><label for="${id}"><code>${name}</code>${required ? "" : " (optional)"}${place === "query" ? "" : `, in the ${place}`}</label>
${field}
<span class="soft">${description ?? ""}</span></p>`
}

/** How the script sends the key. */
const keyOf = ({ security = [] }: OperationDocument): string => {
  const schemes = security.flatMap(Object.keys)
  return schemes.includes("apiKeyHeader") ? "header" : "none"
}

const NEEDS: Readonly<Record<string, string>> = {
  header: "Send a key as x-api-key, or as Authorization: Bearer",
  none: "Needs no key",
}

function writeAccess(operation: OperationDocument): string {
  const { security = [] } = operation
  if (security.some(scheme => "session" in scheme))
    return "Needs the cookie of a session, or knows it where there is one."
  const isOptional = security.some(scheme => Object.keys(scheme).length === 0)
  return `${NEEDS[keyOf(operation)]}${isOptional ? "; it may be left out." : "."}`
}

function writeOperation(method: string, path: string, operation: OperationDocument, schemas: Schemas): Html {
  const { operationId: id, summary, description, deprecated, parameters = [], requestBody, responses } = operation
  const [type, body] = Object.entries(requestBody?.content ?? {})[0] ?? []
  const [, made] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? []
  const [, answer] = Object.entries(made?.content ?? {})[0] ?? []
  const fields = writeFields(answer?.schema, schemas)
  const bodyFields = writeFields(body?.schema, schemas)
  return html`<details id="${id}">
<summary><span class="method">${method}</span> <code>${path}</code> <span>${summary ?? ""}${deprecated === true && " (deprecated)"}</span></summary>
<p>${description ?? ""}</p>
<p class="soft">${writeAccess(operation)}</p>
<form data-method="${method}" data-path="${path}" data-key="${keyOf(operation)}" data-type="${type ?? ""}">
${parameters.map(parameter => writeParameter(parameter, id))}
${
  body === undefined
    ? null
    : html`<p><label for="${id}-body">Body, <code>${type ?? ""}</code></label>
<textarea id="${id}-body" rows="8" spellcheck="false">${body.example === undefined ? "" : show(body.example)}</textarea></p>`
}
<p><button>Send</button> <button type="button" class="second" data-stop hidden>Stop</button></p>
<output></output>
</form>
${bodyFields === null ? null : html`<h3>Fields of the body</h3>${bodyFields}`}
<h3>Answers</h3>
<dl>${Object.entries(responses).map(
    ([status, { description: words }]) => html`<dt><code>${status}</code></dt><dd>${words}</dd>`,
  )}</dl>
${ANSWERS[id] === undefined ? null : html`<h3>An answer</h3><pre>${show(ANSWERS[id])}</pre>`}
${fields === null ? null : html`<h3>Fields of the answer</h3>${fields}`}
</details>`
}

const nameGroup = (tag: string): string => `tag/${tag.toLowerCase().replace(/[^a-z]+/g, "-")}`

export function writeReference(document: OpenApi.OpenAPISpec): string {
  const schemas = document.components.schemas as unknown as Schemas
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as unknown as Readonly<Record<string, OperationDocument>>).map(([method, given]) => {
      const operation = openOperation(given, document)
      const written = writeOperation(method.toUpperCase(), path, operation, schemas)
      return { operation, tag: operation.tags[0] ?? "", written }
    }),
  )
  const tags = (document.tags ?? []).filter(({ name }) => operations.some(({ tag }) => tag === name))
  const [about, ...notices] = (document.info.description ?? "").split("\n\n")
  const base = (document.servers?.[0]?.url ?? "").replace(/\/$/, "")
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Landfall: reference of the HTTP API</title>
<link rel="stylesheet" href="docs/reference.css">
<script src="docs/reference.js" defer></script>
</head>
<body>
<header>
<p class="mark"><a href=".">Landfall</a></p>
<p class="tools"><a href="account">Account</a> <a href="openapi.json">openapi.json</a></p>
</header>
<main>
<h1>HTTP API, version ${document.info.version}</h1>
<p>${about ?? ""}</p>
<section id="start">
<h2>Make a first call</h2>
<ol>
<li>Get a key. A server in development prints keys when it first starts, and an address of this page that fills one in. Anywhere else, register on the <a href="account">account page</a>.</li>
<li>Send it with each request: in the header <code>x-api-key</code>, or as <code>Authorization: Bearer</code>.</li>
<li>Ask: <pre>curl -H 'x-api-key: KEY' '${base}/api/v1/visa/check?passport=FRA&amp;destination=JPN'</pre></li>
</ol>
<p><label for="key">Your key, for the forms below</label>
<input id="key" autocomplete="off" spellcheck="false" placeholder="svc_visa_…">
<span class="soft">This tab keeps it until it is closed. It is sent to this service only.</span></p>
</section>
<nav aria-label="Groups"><ul>${tags.map(({ name }) => html`<li><a href="#${nameGroup(name)}">${name}</a></li>`)}</ul></nav>
${tags.map(
  ({ name, description }) => html`<section id="${nameGroup(name)}">
<h2>${name}</h2>
<p>${description ?? ""}</p>
${operations.filter(({ tag }) => tag === name).map(({ written }) => written)}
</section>`,
)}
<details id="notices"><summary>Whose data it is</summary><pre>${notices.join("\n\n")}</pre></details>
</main>
</body>
</html>
`.text
}
