/**
 * What does a reader ask, and how is the question written in the page's address?
 *
 * Who travels, where to or anywhere, on which days and what for. People are written as `FRA,IND~visa.USA~2027-06-01`: of each person the
 * passports joined by `+`, then documents, the day on which the passports expire, the kind of the passport, `live.` with the residence and `name.` with a name.
 * Parts that are not understood are left out.
 */

import { isCode, parseCivilDate } from "landfall"
import { dayOf } from "../answers.ts"
import { documentOf, type Holding, readHoldings, withoutDates, writeHoldings } from "../holdings.ts"
import { type Kind, NO_TRAVELLER, readKind, type Traveller } from "../trip/trip.ts"

/** The purposes of a journey that the page offers, the usual one first. */
export const PURPOSES = ["tourism", "business", "family", "transit"] as const
/** One of {@link PURPOSES}. */
export type Purpose = (typeof PURPOSES)[number]

/** A person who travels. */
export interface Person {
  /** Empty where it is not given. */
  readonly name: string
  readonly passports: readonly string[]
  /** The kind of a single passport. */
  readonly kind: Kind
  readonly held: readonly Holding[]
  /** The last day on which the passports are valid; empty where it is not given. */
  readonly expiry: string
  /** The country that the person lives in; empty where it is that of the passport. */
  readonly live: string
}

/** What is asked. */
export interface Question {
  readonly people: readonly Person[]
  /** Null for anywhere. */
  readonly to: string | null
  /** The country that the journey begins in; empty where it is the one that each person lives in. */
  readonly leave: string
  /** The first day; empty for today. */
  readonly from: string
  /** The last day; empty for the first. */
  readonly until: string
  readonly purpose: Purpose
  /** The days of an address that were not understood; empty otherwise. The page says so. */
  readonly unread: string
}

/** The most people, passports of each, and days. */
export const MOST = { people: 50, passports: 4, days: 365 } as const

export const NOBODY: Person = { name: "", passports: [], kind: "", held: [], expiry: "", live: "" }
/** Before anything is asked. */
export const NO_QUESTION: Question = {
  people: [NOBODY],
  to: null,
  leave: "",
  from: "",
  until: "",
  purpose: "tourism",
  unread: "",
}

/** Puts together what has the same key, in the order in which each key comes first. */
export function groupBy<Each>(all: Iterable<Each>, keyOf: (each: Each) => string): readonly [Each, ...Each[]][] {
  const groups = new Map<string, [Each, ...Each[]]>()
  for (const each of all) {
    const known = groups.get(keyOf(each))
    if (known === undefined) groups.set(keyOf(each), [each])
    else known.push(each)
  }
  return [...groups.values()]
}

/** The people who have a passport. */
export const travellersOf = ({ people }: Question): readonly Person[] =>
  people.filter(({ passports }) => passports.length > 0)

/** The country that a person leaves from: the one that is given, or where he lives. */
export const departureOf = ({ leave }: Question, { live, passports }: Person): string =>
  leave || live || (passports[0] ?? "")

/** The question about one person with one passport. */
export const askAbout = (passport: string, to: string | null, from = ""): Question => ({
  ...NO_QUESTION,
  people: [{ ...NOBODY, passports: [passport] }],
  to,
  from,
})

/** A person as the engine judges him; `leave` is the country that he leaves from, if it is not his own. */
export const visitorOf = ({ passports, kind, held, expiry, live }: Person, leave = "") => ({
  passports: passports.map(passport => ({
    passport,
    passportExpiry: expiry === "" ? null : expiry,
    passportKind: kind === "" || passports.length > 1 ? null : kind,
  })),
  held: held.map(documentOf),
  residence: live === "" ? null : live,
  departure: leave,
})

/** A person as a traveller of a trip. */
export const travellerOf = ({ passports, kind, held, expiry, live }: Person): Traveller => ({
  ...NO_TRAVELLER,
  passports: passports.map(passport => ({
    passport,
    passportExpiry: expiry || undefined,
    passportKind: (passports.length === 1 && kind) || undefined,
  })),
  residence: live,
  held: held.map(withoutDates),
})

const readDate = (text: string | null): string => (text !== null && parseCivilDate(text) !== null ? text : "")
const readCode = (text: string | null): string => (isCode(text) ? text : "")
const readCodes = (text: string): readonly string[] =>
  [...new Set(text.split("+"))].filter(isCode).slice(0, MOST.passports)

const MOST_LETTERS = 40

/** Leaves out of a name what an address separates by. */
export const cleanName = (text: string): string =>
  text
    .replaceAll(/[^\p{L}\p{M}\p{N}.'’-]+/gu, " ")
    .trim()
    .slice(0, MOST_LETTERS)
    .trim()

function readPerson(text: string): Person {
  const [passports = "", ...parts] = text.split("~")
  const readPart = (name: string) => parts.find(part => part.startsWith(`${name}.`))?.slice(name.length + 1) ?? ""
  return {
    name: cleanName(readPart("name").replaceAll("+", " ")),
    passports: readCodes(passports),
    kind: parts.map(readKind).find(kind => kind !== "") ?? "",
    held: readHoldings(parts.join("~"), "~"),
    expiry: parts.find(part => parseCivilDate(part) !== null) ?? "",
    live: readCode(readPart("live")),
  }
}

/** Reads a question; `pair` where the path of the address names a passport and a destination. */
export function readQuestion(
  given: URLSearchParams,
  pair?: { readonly passport: string; readonly to: string },
): Question {
  const people = readPeople(given, pair?.passport)
  const first = given.get("from") ?? ""
  const last = given.get("until") ?? ""
  const [from, read] = [readDate(first), readDate(last)]
  const until = from !== "" && read > from && dayOf(read) - dayOf(from) < MOST.days ? read : ""
  const isRead = until !== "" || last === "" || (from !== "" && read === from)
  return {
    people: people.length === 0 ? NO_QUESTION.people : people,
    to: pair?.to ?? (readCode(given.get("to")) || null),
    leave: readCode(given.get("leave")),
    from,
    until,
    purpose: PURPOSES.find(each => each === given.get("for")) ?? NO_QUESTION.purpose,
    unread: [from === "" ? first : "", isRead ? "" : last].join(" ").trim().slice(0, MOST_LETTERS).trim(),
  }
}

function readPeople(given: URLSearchParams, passport: string | undefined): readonly Person[] {
  const written = given.get("people")
  if (written !== null) return written.replaceAll(" ", "+").split(",").slice(0, MOST.people).map(readPerson)
  if (passport === undefined) return []
  const kind = readKind(given.get("kind"))
  const held = readHoldings(given.get("held"))
  const [expiry, live] = [readDate(given.get("valid")), readCode(given.get("live"))]
  return [{ ...NOBODY, passports: [passport], kind, held, expiry, live }]
}

const writePerson = ({ name, passports, kind, held, expiry, live }: Person): string =>
  [
    passports.join("+"),
    writeHoldings(held, "~"),
    expiry,
    kind,
    live === "" ? "" : `live.${live}`,
    name === "" ? "" : `name.${encodeURIComponent(name)}`,
  ]
    .filter((part, at) => at === 0 || part !== "")
    .join("~")

/** Writes a question: the path of a single passport's is that of its pair. */
export function writeQuestion(
  question: Question,
): readonly [path: string, query: readonly (readonly [string, string])[]] {
  const { to, leave, from, until, purpose, unread } = question
  const people = travellersOf(question)
  const [first = NOBODY, ...others] = people
  const [passport = "", ...further] = first.passports
  const journey = [
    ["leave", leave],
    ["from", from],
    // What was not understood stays in the address.
    ["until", until === "" ? encodeURIComponent(unread) : until],
    ["for", purpose === NO_QUESTION.purpose ? "" : purpose],
  ] as const
  if (to !== null && passport !== "" && others.length === 0 && further.length === 0 && first.name === "") {
    const { kind, held, expiry, live } = first
    const own = [
      ["kind", kind],
      ["held", writeHoldings(held)],
      ["valid", expiry],
      ["live", live],
    ] as const
    return [`${passport}/${to}`, [...own, ...journey]]
  }
  return ["", [["people", people.map(writePerson).join(",")], ["to", to ?? ""], ...journey]]
}
