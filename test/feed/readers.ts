/** Readers of feeds that share no code with their writers: rules of RFC 4287 over a small XML reader, and ical.js for RFC 5545. */

interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: Element[]
  text: string
}

const ENTITY = /&(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);/gi

/** Reads XML without namespaces, comments and processing instructions; throws where it is not well-formed. */
function readXml(xml: string): Element {
  const root: Element = { name: "", attributes: {}, children: [], text: "" }
  const open = [root]
  const check = (text: string) => {
    if (
      text.replace(ENTITY, "").includes("&") ||
      /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u.test(text)
    ) {
      throw new Error("text")
    }
    return text
  }
  let at = xml.replace(/^<\?xml version="1\.0" encoding="utf-8"\?>\n/, "")
  if (at === xml) throw new Error("declaration")
  while (at !== "") {
    const [whole = "", closes, name, rest = "", isEmpty, text] =
      /^<(\/?)([\w:]+)((?:\s+[\w:]+="[^"<]*")*)\s*(\/?)>|^([^<]+)/.exec(at) ?? []
    if (whole === "") throw new Error("tag")
    at = at.slice(whole.length)
    const last = open.at(-1)!
    if (text !== undefined) last.text += check(text)
    else if (closes === "/") {
      if (open.pop()?.name !== name) throw new Error("end")
    } else {
      const pairs = [...rest.matchAll(/([\w:]+)="([^"]*)"/g)].map(([, key, value]) => [key, check(value!)])
      const element: Element = { name: name!, attributes: Object.fromEntries(pairs), children: [], text: "" }
      last.children.push(element)
      if (isEmpty !== "/") open.push(element)
    }
  }
  if (open.length !== 1 || root.children.length !== 1 || root.text.trim() !== "") throw new Error("root")
  return root.children[0]!
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/** What RFC 4287 finds wrong with a document: sections 4.1.1 and 4.1.2, ids as IRIs, instants of RFC 3339, texts. */
export function listAtomFaults(xml: string): string[] {
  const faults: string[] = []
  let feed: Element
  try {
    feed = readXml(xml)
  } catch {
    return ["it is no well-formed XML"]
  }
  const entries = feed.children.filter(({ name }) => name === "entry")
  const named = ({ children }: Element, name: string) => children.filter(child => child.name === name)
  if (feed.name !== "feed" || feed.attributes.xmlns !== "http://www.w3.org/2005/Atom") faults.push("it is no Atom feed")
  const hasAuthor = (of: Element) =>
    named(of, "author").length > 0 && named(of, "author").every(author => named(author, "name").length === 1)
  if (!hasAuthor(feed) && !(entries.length > 0 && entries.every(hasAuthor))) faults.push("the feed has no author")
  for (const [of, what] of [[feed, "the feed"], ...entries.map(entry => [entry, "an entry"] as const)] as const) {
    for (const name of ["id", "title", "updated"]) {
      if (named(of, name).length !== 1) faults.push(`${what} has ${named(of, name).length} of ${name}`)
    }
    const [id, updated] = [named(of, "id")[0]?.text ?? "", named(of, "updated")[0]?.text ?? ""]
    if (!/^[a-z][a-z\d+.-]*:[^\s<>"{}|\\^`]+$/i.test(id)) faults.push(`id of ${what} is no IRI: ${id}`)
    if (!INSTANT.test(updated) || Number.isNaN(Date.parse(updated))) {
      faults.push(`updated of ${what} is no RFC 3339 instant: ${updated}`)
    }
    const links = named(of, "link").map(({ attributes: { rel = "alternate", href } }) => [rel, href])
    if (links.some(([, href]) => href === undefined)) faults.push("a link has no href")
    if (links.filter(([rel]) => rel === "self").length > 1) faults.push("two links are to itself")
    if (of !== feed && named(of, "content").length === 0 && !links.some(([rel]) => rel === "alternate")) {
      faults.push("an entry has neither content nor a link")
    }
    for (const text of [...named(of, "title"), ...named(of, "subtitle"), ...named(of, "content")]) {
      if (!["text", "html", "xhtml"].includes(text.attributes.type ?? "text") || text.children.length > 0) {
        faults.push(`${text.name} is of no known type`)
      }
    }
    if (named(of, "category").some(({ attributes }) => !attributes.term)) faults.push("a category has no term")
  }
  const ids = entries.map(entry => named(entry, "id")[0]?.text)
  if (new Set(ids).size !== ids.length) faults.push("two entries have one id")
  return faults
}

/** The parts of ical.js that are used. */
interface Component {
  readonly name: string
  readonly getFirstPropertyValue: (name: string) => unknown
  readonly getAllSubcomponents: (name?: string) => readonly Component[]
}
interface Day {
  readonly isDate: boolean
  readonly toString: () => string
}
interface Ical {
  readonly parse: (text: string) => unknown
  readonly Component: new (parsed: unknown) => Component
  readonly Event: new (
    component: Component,
  ) => Readonly<Record<"uid" | "summary" | "description", string> & Record<"startDate" | "endDate", Day>>
}

const PARSER: string = "ical.js"

/** A calendar as ical.js reads it. */
export async function readCalendar(text: string) {
  const { default: ical } = (await import(PARSER)) as { readonly default: Ical }
  const calendar = new ical.Component(ical.parse(text))
  return {
    version: calendar.getFirstPropertyValue("version"),
    components: calendar.getAllSubcomponents().map(({ name }) => name),
    events: calendar.getAllSubcomponents("vevent").map(component => {
      const event = new ical.Event(component)
      const { uid, summary, description, startDate, endDate } = event
      const [start, end] = [startDate.toString(), endDate.toString()]
      const stamp = String(component.getFirstPropertyValue("dtstamp"))
      return { uid, summary, description, start, end, isWholeDay: startDate.isDate, stamp }
    }),
  }
}
