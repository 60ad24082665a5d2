/**
 * What does somebody see at `/account`?
 *
 * A page of plain HTML and one script: sign in by a mailed link, see the key and what was used by day, replace the key, change or end what was bought,
 * sign out. It asks the endpoints that programs ask too, and loads nothing from elsewhere. Without a script it says so.
 */
import { ACCOUNT_PATH } from "../../mail/mail-dispatcher.ts"
import { answerText } from "../answer.ts"
import { type Endpoint, endpoint } from "../endpoint.ts"

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Account · Landfall</title>
<link rel="stylesheet" href="/account.css">
<script src="/account.js" defer></script>
</head>
<body>
<main>
<h1>Account</h1>
<p id="said" role="status" aria-live="polite"></p>
<noscript><p>This page needs scripts; the same is done by the endpoints that <a href="/docs">the reference</a> describes.</p></noscript>
<form id="sign-in" hidden>
<h2>Sign in</h2>
<p><label for="email">E-mail address</label> <input id="email" name="email" type="email" autocomplete="email" required></p>
<p><button>Mail me a link</button></p>
</form>
<section id="account" hidden>
<h2 id="who"></h2>
<p>Plan: <strong id="plan"></strong></p>
<p><label for="key">API key</label> <output id="key"></output></p>
<p><button id="replace" type="button">Replace the key</button> <button id="portal" type="button">Change or end the subscription</button> <button id="leave" type="button">Sign out</button></p>
<h2 id="used">Used this month</h2>
<table aria-labelledby="used"><thead><tr><th scope="col">Day</th><th scope="col">Visa</th><th scope="col">Lookup</th><th scope="col">Spots</th></tr></thead><tbody id="days"></tbody></table>
</section>
</main>
</body>
</html>
`

const SCRIPT = `const at = id => document.getElementById(id)
const say = text => { at("said").textContent = text }
const ask = async (path, options) => {
  const response = await fetch("/api/v1/visa" + path, { credentials: "same-origin", ...options })
  const body = await response.json().catch(() => ({}))
  if (!response.ok && response.status !== 401) say(body.error || "Something went wrong.")
  return { ok: response.ok, status: response.status, body }
}
const post = (path, body) => ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: body && JSON.stringify(body) })
const show = isSignedIn => { at("sign-in").hidden = isSignedIn; at("account").hidden = !isSignedIn }
const load = async () => {
  const mine = await ask("/auth/ensure-key")
  show(mine.ok)
  if (!mine.ok) return
  at("who").textContent = mine.body.user.email
  at("plan").textContent = mine.body.user.plan
  at("key").textContent = mine.body.api_key
  const usage = await ask("/auth/usage")
  if (!usage.ok) return
  const { visa, lookup, spots } = usage.body.pools
  at("days").replaceChildren(...visa.days.map(({ on, used }, day) => {
    const row = document.createElement("tr")
    for (const text of [on, used, lookup.days[day].used, spots.days[day].used]) row.insertCell().textContent = text
    return row
  }))
}
at("sign-in").addEventListener("submit", async event => {
  event.preventDefault()
  const sent = await post("/auth/login", { email: at("email").value })
  if (sent.ok) say(sent.body.message)
})
at("replace").addEventListener("click", async () => {
  if (!confirm("The present key stops working at once.")) return
  const made = await post("/auth/regenerate-key")
  if (made.ok) { at("key").textContent = made.body.api_key; say(made.body.message) }
})
at("portal").addEventListener("click", async () => {
  const page = await post("/stripe/portal")
  if (page.ok) location.assign(page.body.url)
})
at("leave").addEventListener("click", async () => {
  if ((await post("/auth/logout")).ok) { at("key").textContent = ""; show(false); say("You are signed out.") }
})
load()
`

const STYLE = `:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 42rem; margin: 0 auto; padding: 1rem }
output { font-family: ui-monospace, monospace; overflow-wrap: anywhere }
th, td { text-align: end; padding-inline: 0.75rem } th:first-child, td:first-child { text-align: start }
`

const HEADERS = [
  ...["cache-control", "no-cache", "referrer-policy", "no-referrer", "x-frame-options", "DENY"],
  "content-security-policy",
  "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
]

const file = (path: `/${string}`, type: string, text: string): Endpoint =>
  endpoint({
    method: "GET",
    surface: "operations",
    access: { kind: "public" },
    parameters: {},
    name: `page ${path}`,
    path,
    answer: () => answerText(type, text, HEADERS),
  })

/** The rows of the page, which the reference does not list. */
export const accountPageRows: readonly Endpoint[] = [
  file(ACCOUNT_PATH, "text/html; charset=utf-8", PAGE),
  file("/account.js", "text/javascript; charset=utf-8", SCRIPT),
  file("/account.css", "text/css; charset=utf-8", STYLE),
]
