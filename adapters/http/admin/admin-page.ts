/**
 * How is an operation shown in a browser? As a plain page for each view, with the forms of its actions; without scripts, and with a policy
 * that allows none.
 */
import { type Html, html } from "../routes/accounts/page/html.ts"
import type { Act, Operation, OperationRow, View, Viewed } from "./operation.ts"
import { OPERATIONS } from "./operations.ts"

export const PAGE_POLICY =
  "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** Where the style is. */
export const STYLE_PATH = "/style.css"

export const STYLE = `body{font:16px/1.5 system-ui,sans-serif;margin:1rem auto;max-width:80rem;padding:0 1rem}
table{border-collapse:collapse;width:100%}th,td{border-bottom:1px solid #ccc;padding:.25rem .5rem;text-align:left;overflow-wrap:anywhere}
nav a{margin-right:1rem}fieldset{margin:1rem 0;border:1px solid #ccc}[role=status]{border-left:4px solid #06c;padding:.5rem 1rem}`

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

const frame = (title: string, body: Html): string =>
  html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} – operators</title><link rel="stylesheet" href="${STYLE_PATH}"></head>
<body><nav aria-label="Views">${OPERATIONS.filter(({ isAct }) => !isAct).map(({ name }) => html`<a href="/${name}">${labelOf(name)}</a> `)}</nav><main><h1>${labelOf(title)}</h1>${body}</main></body></html>`
    .text

/** The page of a view, with the given fields and the forms of its actions. */
export function writeView(view: View, { rows, next_cursor }: Viewed, given: Given): string {
  const acts = OPERATIONS.filter(operation => operation.isAct && operation.beside === view.name) as readonly Act[]
  const fields = writeFields(view, given)
  const next = new URLSearchParams({ ...given, cursor: next_cursor ?? "" })
  return frame(
    view.name,
    html`${fields.length > 0 && html`<form action="/${view.name}">${fields}<p><button>Show</button></p></form>`}
${writeTable(view, rows)}
${typeof next_cursor === "string" && html`<p><a href="/${view.name}?${String(next)}">Next page</a></p>`}
${acts.map(act => writeAct(act, given))}`,
  )
}

/** The form of a view that cannot be shown without what it asks for. */
export const writeQuestion = (view: View, given: Given, message: string): string =>
  frame(
    view.name,
    html`<p role="status">${message}</p><form action="/${view.name}">${writeFields(view, given)}<p><button>Show</button></p></form>`,
  )

/** The result of an action, or the reason why it was refused. */
export const writeOutcome = (act: Act, message: string, given: Given): string => {
  const back = new URLSearchParams(given)
  return frame(
    act.name,
    html`<p role="status">${message}</p><p><a href="/${act.beside}?${String(back)}">Back to ${labelOf(act.beside)}</a></p>`,
  )
}
