/**
 * Which commands are there, and what does each do, in a line?
 *
 * A command is loaded when it is called, because a process that loads all of them takes several times as long to start. Help and a mistake in a
 * name need these lines only; all commands are loaded for completions.
 */
import type { Row } from "./command.ts"

type Load = () => Promise<object>

const account = () => import("./account-commands.ts")
const answer = () => import("./check-commands.ts")
const change = () => import("./change-commands.ts")
const data = () => import("./data-commands.ts")
const database = () => import("./database-commands.ts")
const dataset = () => import("./dataset-commands.ts")
const feed = () => import("./feed-commands.ts")
const journey = () => import("./journey-commands.ts")
const question = () => import("./question-commands.ts")
const service = () => import("./service-commands.ts")

/** The lines of commands; those without a file have others below them. */
export const GROUPS: Readonly<Record<string, Readonly<Record<string, readonly [about: string, file?: Load]>>>> = {
  Questions: {
    check: ["Show the requirement of a passport at a destination", answer],
    find: ["The codes of countries, by their names and those of their people in any of fifteen languages", answer],
    visa: ["Show everything known about a pair, in one of fifteen languages", question],
    explain: ["Explain the answer of a pair", dataset],
    group: ["Where a group can go, easiest first", question],
    best: ["Which of one traveller's passports to use, for every destination", question],
    entrants: ["List the passports that may enter a destination, by requirement", question],
    score: ["The mobility score of a passport, and its rank among all", question],
    compare: ["Two passports side by side", question],
    rank: ["All passports by mobility score", question],
  },
  Journeys: {
    itinerary: ["Judge a whole itinerary: entry, days, zones, passport, transit", journey],
    batch: ["Judge itineraries by the million: NDJSON, CSV or Parquet in and out", () => import("./batch-command.ts")],
    convert: [
      "Trips or stays out of a calendar, a booking, a list of passengers, a history of places or a log of flights",
      () => import("./convert-command.ts"),
    ],
    stays: ["Days used and left in a zone, from a list of stays", journey],
  },
  Changes: {
    history: ["How the answer of a pair has changed and is announced to change, with sources", change],
    watch: ["What has changed since a day or the last run, for a job that runs every day", change],
    diff: ["List the pairs that differ between two datasets", change],
  },
  Services: {
    serve: ["Serve the HTTP API", service],
    worker: ["Deliver webhooks and judge jobs, in addition to `landfall serve` or instead of its dispatchers", service],
    mcp: ["Answer a language model's tool calls (Model Context Protocol) on standard input and output", service],
    webhook: ["Look at webhooks"],
    "webhook listen": ["Show and verify the webhooks that come to this machine", service],
  },
  "A deployment": {
    account: ["Make, show and change accounts"],
    "account create": ["Make an account and its key", account],
    "account show": ["Show an account and its usage", account],
    "account set-version": ["Pin an account's version of the lookup", account],
    "account change-email": ["Change an account's e-mail address, which must then be confirmed", account],
    "account confirm": ["Confirm an account's e-mail address", account],
    "account disable": ["Disable an account: none of its keys works then", account],
    "account enable": ["Enable a disabled account again", account],
    "account export": ["Print everything that is stored about an account, as JSON", account],
    "account erase": ["Erase the personal data of an account permanently", account],
    backup: ["Back up the database into a file, while the service runs, and check it by opening it", database],
    key: ["Make, replace and reveal API keys"],
    "key create": ["Make a key", account],
    "key rotate": ["Replace a key; the old one works for 24 hours more", account],
    "key reveal": ["Print a whole key", account],
    migrate: ["Change the tables of the database to those of this version", database],
    operate: ["View and change a deployment, as its operator", () => import("./operate-command.ts")],
    restore: ["Restore a backup into an empty database, on SQLite or PostgreSQL, while nothing runs on it", database],
    spots: ["The spots that a deployment uses"],
    "spots import": ["Add the spots of a file; spots with the same id are replaced", database],
    "spots reset": ["Use the spots of the package again", database],
  },
  "Data and datasets": {
    dataset: ["Build, describe, verify, export, install, publish and fetch datasets"],
    "dataset build": ["Compile the facts into a dataset file", dataset],
    "dataset info": ["Show the contents of a dataset, and the owners of its data", dataset],
    "dataset verify": ["Check all of a dataset file: format, length, checksum, tables", dataset],
    "dataset export": ["Print every pair with a record as CSV, JSON or Parquet", dataset],
    "dataset install": ["Use a dataset from now on, and notify subscribers of its changes", database],
    "dataset rollback": ["Go back to the previously installed dataset", database],
    "dataset keygen": ["Make a pair of keys to sign a feed of datasets with", feed],
    "dataset publish": ["Write a signed feed of datasets into a folder that any static host can serve", feed],
    "dataset rotate": ["Change the keys of a feed, signed by the old and the new owners", feed],
    "dataset fetch": ["Fetch the newest dataset of a feed, if its signature, age and size are valid", feed],
    data: ["Import tables, update, check, watch and format the facts"],
    "data update": ["Import newer copies of the sources, and report what a person has to check", data],
    "data import": ["Take a dated Passport Index table into data/claims", data],
    "data claim": [
      "Turn the text of the issue form for wrong data into a claim of its own file in data/additions",
      data,
    ],
    "data watch": ["Look which official pages of data/claims have changed, and list them by destination", data],
    "data verify": ["Check every fact, and print coverage and staleness", data],
    "data coverage": ["Print how many pairs have each field, as a table of Markdown", data],
    "data format": ["Write the facts in the project's style: order of keys and rows, lines, no other change", data],
  },
}

const ROWS = Object.assign({}, ...Object.values(GROUPS)) as (typeof GROUPS)[string]
const PATHS = Object.keys(ROWS)

/** The commands that can be called. */
export const CALLED = PATHS.filter(path => ROWS[path]?.[1] !== undefined)

/** Says whether the arguments begin with a command that runs until it is stopped. */
export const isService = ([name = ""]: readonly string[]): boolean => Object.hasOwn(GROUPS.Services ?? {}, name)

/** The line of a command. */
export const sayShort = (path: string): string => ROWS[path]?.[0] ?? ""

/** The names of the commands below another one, or below none. */
export function listParts(above: string): readonly string[] {
  const begins = above === "" ? "" : `${above} `
  return PATHS.filter(path => path.startsWith(begins))
    .map(path => path.slice(begins.length))
    .filter(name => !name.includes(" "))
}

/** Loads a command. */
export async function loadRow(path: string): Promise<Row> {
  const file = await ROWS[path]?.[1]?.()
  return Object.values(file ?? {}).find(each => (each as Partial<Row>).path === path)
}
