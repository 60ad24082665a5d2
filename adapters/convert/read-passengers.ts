/**
 * Which passports do the passengers of a list hold?
 *
 * By the machine-readable zones of their documents (ICAO Doc 9303), in a list or in a column of a table, or by the columns of a table of advance passenger information: nationality or
 * issuer, kind and expiry. The special codes of the zones lead to a passport, or to a document of a kind; organisations' documents, identity cards and visas are left out, as is
 * a kind of passport that states use differently. Names are repeated; numbers and dates of birth are not.
 */
import { parse } from "mrz"
import { BRITISH_CLASSES, parseCivilDate } from "../../src/index.ts"
import { type PassportKind, readDocumentCode } from "../answers/code-help.ts"
import { OTHER_ORDER, type Report, readLines, readNamedRows, refuse } from "./read-lines.ts"

/** A traveller, as a request names one; `id` is his name. */
export interface Passenger {
  readonly id: string
  readonly passport: string
  readonly passportKind?: PassportKind
  readonly passportExpiry?: string
}

/** Reads a code, or a name, of a country; or says why it is not sure to be one. */
export type ReadPassport = (text: string) => { readonly code: string } | { readonly message: string }

const MOST_PASSENGERS = 100_000
const ZONE = /^[A-Z0-9<]{30}$|^[A-Z0-9<]{36}$|^[A-Z0-9<]{44}$/

/** Reads the zones in a file of text: two lines a passport, whatever stands around them. */
export async function* readZones(
  input: AsyncIterable<Uint8Array>,
  readPassport: ReadPassport,
  report: Report,
): AsyncGenerator<Passenger> {
  let waiting: { readonly text: string; readonly line: number }[] = []
  let count = 0
  const read = function* (): Generator<Passenger> {
    const [first] = waiting
    if (first === undefined) return
    report.entries++
    if (++count > MOST_PASSENGERS)
      throw refuse(first.line, `more than ${MOST_PASSENGERS.toLocaleString("en")} passengers.`)
    const passenger = readZone(
      waiting.map(({ text }) => text),
      `line ${first.line}`,
      readPassport,
      report,
    )
    if (passenger !== null) yield passenger
    waiting = []
  }
  for await (const { text, line } of readLines(input)) {
    const zone = text.trim().toUpperCase().replaceAll(" ", "").replaceAll("«", "<<")
    const [first] = waiting
    if (!ZONE.test(zone) || (first !== undefined && first.text.length !== zone.length)) dropIncomplete()
    if (!ZONE.test(zone)) {
      if (zone.includes("<<") && zone.length > 20)
        report.leftOut.add(`line ${line}: a line of a zone has 30, 36 or 44 signs, this one has ${zone.length}`)
      continue
    }
    waiting.push({ text: zone, line })
    if (waiting.length === (zone.length === 30 ? 3 : 2)) yield* read()
  }
  dropIncomplete()

  function dropIncomplete(): void {
    const [first] = waiting
    if (first !== undefined) report.leftOut.add(`line ${first.line}: the zone has no further line`)
    waiting = []
  }
}

const spell = (text: string | null | undefined): string => (text ?? "").trim()

function readZone(
  lines: readonly string[],
  place: string,
  readPassport: ReadPassport,
  report: Report,
): Passenger | null {
  const leave = (why: string): null => {
    report.leftOut.add(`${place}: ${why}`)
    return null
  }
  let read: ReturnType<typeof parse>
  try {
    read = parse([...lines])
  } catch (cause) {
    return leave(`the zone cannot be read: ${(cause as Error).message}`)
  }
  const [first = ""] = lines
  const { fields, details } = read
  const id = `${spell(fields.lastName)} ${spell(fields.firstName)}`.trim() || NAMELESS
  const type = first.slice(0, 2).replace("<", "")
  if (!type.startsWith("P")) return leave(`${id}: a document of type ${type} is no passport`)
  const wrong = details.find(({ field, valid }) => !valid && (field ?? "").endsWith("CheckDigit"))
  if (wrong !== undefined)
    return leave(
      `${id}: the check digit of ${wrong.label.toLowerCase().replace(/ ?check digit/, "")} is wrong, so the zone was misread`,
    )
  const nationality = nationalityOf(lines)
  const issuer = first.slice(2, 5).replaceAll("<", "")
  if (nationality === "CHN" && type === "P")
    return leave(`${id}: the zones of Hong Kong's and Macao's passports have the code CHN too; give passport`)
  const expiry = details.find(({ field }) => field === "expirationDate")?.value ?? null
  const passportExpiry = toExpiry(expiry)
  if (passportExpiry === null) return leave(`${id}: the day of expiry cannot be read`)
  return describePassenger({ id, nationality, issuer, type, passportExpiry }, { place, readPassport, leave, report })
}

/** A holder whose name is not given. */
const NAMELESS = "a passenger"

// The code as it is printed: the library reads only those that it knows.
function nationalityOf(lines: readonly string[]): string {
  const second = lines[1] ?? ""
  return (second.length === 30 ? second.slice(15, 18) : second.slice(10, 13)).replaceAll("<", "")
}

function toExpiry(text: string | null): string | null {
  const [, year, month, day] = /^(\d\d)(\d\d)(\d\d)$/.exec(text ?? "") ?? []
  if (year === undefined) return null
  // No passport is valid until 2070; those that expired before 2000 were issued when zones were new.
  const written = `${Number(year) < 70 ? 20 : 19}${year}-${month}-${day}`
  return parseCivilDate(written) === null ? null : written
}

interface Document {
  readonly id: string
  readonly nationality: string
  readonly issuer: string
  /** The letters of a passport's kind: P, or P and the letter of the issuer. */
  readonly type: string
  readonly passportExpiry?: string
}

/** Where a document stands, and what reads it. */
interface Reading {
  readonly place: string
  readonly readPassport: ReadPassport
  readonly leave: (why: string) => null
  readonly report: Report
}

function describePassenger(
  { id, nationality, issuer, type, passportExpiry }: Document,
  { place, readPassport, leave, report }: Reading,
): Passenger | null {
  const meant = readDocumentCode(nationality)
  if (meant !== null && "document" in meant)
    return leave(`${id}: ${nationality} is ${meant.document}; no rules are recorded for it`)
  const issued = readDocumentCode(issuer)
  if (issued !== null && "document" in issued)
    return leave(`${id}: ${issuer} is ${issued.document}; no rules are recorded for it`)
  const dated = passportExpiry === undefined ? {} : { passportExpiry }
  const readCode = (given: string) => (readDocumentCode(given) === null ? readPassport(given) : { code: given })
  const [own, by] = [readCode(nationality), readCode(issuer)]
  if ("message" in own) return leave(`${id}: ${own.message}`)
  if ("message" in by) return leave(`${id}: ${by.message}`)
  if (meant !== null && "kind" in meant) {
    if (issued !== null && "kind" in issued)
      return leave(`${id}: the state that issued the document of ${meant.holder} is not given`)
    return { id, passport: issued?.passport ?? by.code, passportKind: meant.kind, ...dated }
  }
  const passport = meant?.passport ?? own.code
  const state = issued !== null && "passport" in issued ? issued.passport : by.code
  // Territories issue the passports of British classes.
  if (state !== passport && !BRITISH_CLASSES.some(each => each === passport))
    report.assumed.add(`${place}: ${id}: the passport is that of the nationality, ${passport}, not of ${state}`)
  const kind = kindOf(type, passport)
  if (kind === undefined)
    return leave(`${id}: states use the type ${type} for different kinds of passports; give passport_kind`)
  return { id, passport, ...(kind === "ordinary" ? {} : { passportKind: kind }), ...dated }
}

/** The kinds whose letters mean one thing everywhere. China marks its ordinary passports PO, which elsewhere are those of officials. */
function kindOf(type: string, passport: string): PassportKind | undefined {
  if (type === "P" || type === "PP" || (type === "PO" && passport === "CHN")) return "ordinary"
  return type === "PD" ? "diplomatic" : undefined
}

/** Names of columns of advance passenger information, without blanks and signs. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  zone: ["mrz", "machinereadablezone"],
  surname: ["surname", "lastname", "familyname"],
  given: ["givenname", "givennames", "firstname", "forename", "forenames"],
  name: ["name", "fullname", "passenger", "passengername", "traveller", "traveler"],
  nationality: ["nationality", "citizenship", "nationalitycode"],
  issuer: [
    "issuingcountry",
    "issuingstate",
    "countryofissue",
    "documentissuingcountry",
    "passport",
    "passportcountry",
    "issuer",
  ],
  type: ["documenttype", "doctype", "traveldocumenttype"],
  expiry: [
    "expiry",
    "expirydate",
    "dateofexpiry",
    "expirationdate",
    "documentexpirydate",
    "passportexpiry",
    "documentexpiry",
  ],
}

/** Reads a table of passengers; `readPassport` reads codes and names of countries, `readDay` days. */
export async function* readPassengerTable(
  input: AsyncIterable<Uint8Array>,
  { readPassport, readDay }: { readonly readPassport: ReadPassport; readonly readDay: (text: string) => string | null },
  report: Report,
): AsyncGenerator<Passenger> {
  const rows = readNamedRows(
    input,
    COLUMNS,
    {
      isEnough: has => has("zone") || has("nationality") || has("issuer"),
      expected: "a column for the nationality, the issuing country or the machine-readable zone is expected",
    },
    report,
  )
  for await (const { line, cell } of rows) {
    report.entries++
    const leave = (why: string): null => {
      report.leftOut.add(`line ${line}: ${why}`)
      return null
    }
    const zone = cell("zone").toUpperCase().replace(/\s+/g, "")
    if (zone !== "") {
      const length = { 72: 36, 88: 44, 90: 30 }[zone.length]
      if (length === undefined) {
        leave(`a zone has 72, 88 or 90 signs, this one has ${zone.length}`)
        continue
      }
      const lines = Array.from({ length: zone.length / length }, (_, at) => zone.slice(at * length, (at + 1) * length))
      const passenger = readZone(lines, `line ${line}`, readPassport, report)
      if (passenger !== null) yield passenger
      continue
    }
    const id = cell("name") || `${cell("surname")} ${cell("given")}`.trim() || NAMELESS
    const [nationality, issuer] = [cell("nationality") || cell("issuer"), cell("issuer") || cell("nationality")]
    const expiry = cell("expiry")
    const day = expiry === "" ? undefined : readDay(expiry)
    if (day === null) {
      leave(`${id}: ${JSON.stringify(expiry)} is not a day such as 2030-12-31${OTHER_ORDER}`)
      continue
    }
    const type = (cell("type") || "P").toUpperCase().replace("PASSPORT", "P")
    if (!type.startsWith("P")) {
      leave(`${id}: a document of type ${type} is no passport`)
      continue
    }
    const passenger = describePassenger(
      { id, nationality, issuer, type, ...(day === undefined ? {} : { passportExpiry: day }) },
      { place: `line ${line}`, readPassport, leave, report },
    )
    if (passenger !== null) yield passenger
  }
}
