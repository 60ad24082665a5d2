/**
 * How is an operation shown in a browser? As a plain page for each view, with the forms of its actions; without scripts, and with a policy
 * that allows none.
 */
import { makeSheet } from "../page/design.ts"
import { type Html, html } from "../routes/accounts/page/html.ts"
import {
  type Act,
  findOperation,
  OPERATIONS,
  type Operation,
  type OperationRow,
  type Trouble,
  type View,
  type Viewed,
} from "./operations.ts"

export const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** Where the style is. */
export const STYLE_PATH = "/style.css"

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

const writeTable = ({ name, summary }: View, rows: readonly OperationRow[]): Html => {
  if (rows.length === 0) return html`<p>There are none.</p>`
  const columns = Object.keys(rows[0] as OperationRow)
  const writeCell = (row: OperationRow, column: string): Html => {
    const value = writeValue(row[column])
    // Links a number to its records.
    if (column === "webhook" && name === "receivers")
      return html`<td><a href="/deliveries?webhook=${value}">${value}</a></td>`
    if (column === "account" && name === "accounts") return html`<td><a href="/keys?account=${value}">${value}</a></td>`
    return html`<td>${value}</td>`
  }
  return html`<table><caption>${summary}</caption><thead><tr>${columns.map(column => html`<th scope="col">${labelOf(column)}</th>`)}</tr></thead>
<tbody>${rows.map(row => html`<tr>${columns.map(column => writeCell(row, column))}</tr>`)}</tbody></table>`
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
export interface Found {
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

/** A view's table, which scrolls sideways where it is wider than the screen. */
const writeRegion = (view: View, { rows }: Viewed): Html =>
  html`<div class="wide" role="region" tabindex="0" aria-label="${labelOf(view.name)}">${writeTable(view, rows)}</div>`

/** The first page: what is wrong now, then some views. */
export function writeNow(found: readonly Found[], views: Readonly<Record<string, Viewed>>): string {
  const heading =
    found.length === 0
      ? "Nothing is wrong."
      : `${found.length} ${found.length === 1 ? "thing is" : "things are"} wrong.`
  const tables = Object.entries(views).map(([name, viewed]) => writeRegion(findOperation(name) as View, viewed))
  return frame("now", html`${found.map(writeFound)}${tables}`, heading)
}

/** The page of a view, with the given fields and the forms of its actions. */
export function writeView(view: View, viewed: Viewed, given: Given): string {
  const { next_cursor } = viewed
  const acts = OPERATIONS.filter(operation => operation.isAct && operation.beside === view.name) as readonly Act[]
  const fields = writeFields(view, given)
  const next = new URLSearchParams({ ...given, cursor: next_cursor ?? "" })
  return frame(
    view.name,
    html`${fields.length > 0 && html`<form action="/${view.name}">${fields}<p><button>Show</button></p></form>`}
${writeRegion(view, viewed)}
${typeof next_cursor === "string" && html`<p><a href="/${view.name}?${String(next)}">Next page</a></p>`}
${acts.map(act => writeAct(act, given))}`,
  )
}

/** The form of a view that cannot be shown without what it asks for; `message` where what was given is wrong. */
export const writeQuestion = (view: View, given: Given, message: string | null): string =>
  frame(
    view.name,
    html`${message !== null && html`<p role="status" class="notice wrong">${message}</p>`}<form action="/${view.name}">${writeFields(view, given)}<p><button>Show</button></p></form>`,
  )

/** The result of an action, or the reason why it was refused. */
export const writeOutcome = (act: Act, message: string, given: Given): string => {
  const back = new URLSearchParams(given)
  return frame(
    act.name,
    html`<p role="status" class="notice">${message}</p><p><a href="/${act.beside}?${String(back)}">Back to ${labelOf(act.beside)}</a></p>`,
  )
}
