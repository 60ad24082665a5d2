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
