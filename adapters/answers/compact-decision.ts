/**
 * How is a decision written in the size of what it says?
 *
 * The same facts as the whole answer, from the same table, each told once. Nothing is null or empty. A known finding is its value, with its source beside it where it has one. What is
 * unknown is in `unknowns` alone, once for all stops that it is about; a condition that is also something to do is in `to_do` alone. A rule is in `rules` under an id
 * to which the findings refer, and only if it decided. Left out are the parameters of sentences, the place of a stop in its list, the passport of a stop where it is the
 * first one given, days accumulated or allowed that are those of the stop, that a task is due before departure, and that confidence is high. A reader that needs more asks for the whole answer.
 */
import { type AnswerFields, type AnswerRow, DECISION_ANSWER, GROUP_ANSWER, type Out } from "../../src/answers.ts"
import type { Dataset, Decision, GroupDecision } from "../../src/engine.ts"
import type { Language } from "../../src/full.ts"
import { DEFAULT_LANGUAGE } from "./answer-languages.ts"
import { DECISION_VIEWS } from "./decision.ts"
import { describeMeta } from "./visa-answers.ts"
import { toSnakeCase, toWire } from "./wire-names.ts"
import {
  type Context,
  type Form,
  fieldWriters,
  listWriter,
  quote,
  type Write,
  writeFields,
  writerOf,
} from "./write-answer.ts"
import { writeDecisionMeta } from "./write-decision.ts"

// Rules are records of the data, which stay as they are.
const ruleTexts = new WeakMap<object, string>()

function writeRule(rule: object): string {
  let text = ruleTexts.get(rule)
  if (text === undefined) {
    // The note of an editor explains the rule, and the requirements that it is about include that of the stop: both are in the whole answer.
    const {
      source = null,
      source_url: url = null,
      note: _,
      requirements: __,
      ...terms
    } = toWire(rule) as Record<string, unknown> & { readonly source?: { readonly id: string } | null }
    // No further days beside the months of a rule.
    if (terms.days === 0) delete terms.days
    // As visits are counted almost everywhere: both days count.
    if (terms.first_day_counted === true) delete terms.first_day_counted
    if (terms.confidence === "high") delete terms.confidence
    text = JSON.stringify(prune({ ...terms, ...(url === null ? { source: source?.id } : { source_url: url }) })) ?? "{}"
    if (Object.isFrozen(rule)) ruleTexts.set(rule, text)
  }
  return text
}

/** A value without nulls, empty lists and empty objects inside; undefined if nothing is left. */
function prune(value: unknown): unknown {
  if (value === null || value === undefined || value === "") return undefined
  if (typeof value !== "object") return value
  if (Array.isArray(value)) return value.length === 0 ? undefined : value
  const fields = Object.entries(value).flatMap(([name, held]) => {
    const kept = prune(held)
    return kept === undefined ? [] : [[name, kept] as const]
  })
  return fields.length === 0 ? undefined : Object.fromEntries(fields)
}

const COMPACT: Form = {
  // Fields that say how an answer is made, not what it says.
  without: new Set(["granularity", "status", "params", "index"]),
  isPruned: true,
  values: value => JSON.stringify(prune(value)) ?? "",
  record:
    () =>
    (value, { idOf }) =>
      idOf(value),
  finding: findingWriter,
}

/** A known finding is its value, or an object of it and what is said beside it. */
function findingWriter({ is }: Out): Write {
  if (is.kind !== "object") return () => ""
  const { value: row, ...others } = is.fields
  const writeValue = writerOf((row as AnswerRow).is, COMPACT)
  const beside = fieldWriters(others, COMPACT, { before: "," })
  return (finding: Readonly<Record<string, never>>, context) => {
    if ((finding as { readonly status?: string }).status === "unknown") return ""
    const value = writeValue(finding.value as never, context)
    const text = writeFields(beside, finding, context)
    return text === "" ? value : `{"value":${value}${text}}`
  }
}

const fieldsOf = ({ is }: Out): AnswerFields => {
  if (is.kind === "list") return fieldsOf(is.of)
  return is.kind === "object" ? is.fields : {}
}

const ONE = fieldsOf(DECISION_ANSWER)
const fieldOf = (name: keyof Decision & string): Out => (ONE[name] as AnswerRow).is

const writeOtherPassport: Write = (passport: string, { whole }) =>
  passport === (whole as Decision | null)?.passports[0]?.passport ? "" : `"${passport}"`

const STEP: Write = (() => {
  const { daysAccumulated: totalRow, countedStay: countedRow, ...others } = fieldsOf(fieldOf("steps"))
  const fields = fieldWriters(others, COMPACT, { special: { passport: writeOtherPassport } })
  const key = `,"${(totalRow as AnswerRow).wire}":`
  const countedKey = `,"${(countedRow as AnswerRow).wire}":`
  return (step: Decision["steps"][number], context) => {
    const { days, daysAccumulated: total, countedStay: counted = null } = step
    let text = writeFields(fields, step as never, context)
    // Said where it is more than the days of this stop.
    if (total.status === "known" && total.value !== days) text += `${key}${total.value}`
    if (counted !== null) text += `${countedKey}${writeCounted(counted, step, context)}`
    return `${text}}`
  }
})()

// The days allowed are mostly the longest stay of the stop, and the way of counting is the kind of its rule.
function writeCounted(
  counted: NonNullable<Decision["steps"][number]["countedStay"]>,
  { maxStay }: Decision["steps"][number],
  { idOf }: Context,
): string {
  const { value, allowanceDays, counting, rule } = counted
  let text = `{"value":${value}`
  if (maxStay.status === "unknown" || maxStay.value !== allowanceDays) text += `,"allowance_days":${allowanceDays}`
  if (rule?.kind !== counting) text += `,"counting":"${counting}"`
  if (rule !== null) text += `,"rule":${idOf(rule)}`
  return `${text}}`
}

const TRANSIT: Write = (() => {
  const { rule: ruleRow, decidedBy: _, ...others } = fieldsOf(fieldOf("transit"))
  const fields = fieldWriters(others, COMPACT)
  const key = `,"${(ruleRow as AnswerRow).wire}":`
  return (transit: Decision["transit"][number], context) => {
    const { rule, decidedBy } = transit
    const decided = rule.status === "known" && decidedBy !== null ? rule.value[decidedBy] : undefined
    const text = writeFields(fields, transit as never, context)
    return decided === undefined ? `${text}}` : `${text}${key}${context.idOf(decided)}}`
  }
})()

const TO_DO: Write = (() => {
  const { step: _, what: __, params: ___, ...others } = fieldsOf(fieldOf("toDo"))
  const due: Write = (when: Decision["toDo"][number]["due"]) => (when === "before_departure" ? "" : `"${when}"`)
  const fields = fieldWriters(others, COMPACT, { special: { due, passport: writeOtherPassport } })
  return (task, context) => `${writeFields(fields, task, context)}}`
})()

/** Writes what is said alike of several stops once, with the lists of their places by name, mostly one. `say` makes the fields, which say what is alike. */
function sayAlike<Entry>(
  entries: readonly Entry[],
  say: (entry: Entry) => string,
  placeOf: (entry: Entry) => readonly [name: string, place: number] | null,
): string {
  const groups = new Map<string, Map<string, number[]>>()
  for (const entry of entries) {
    const said = say(entry)
    const lists = groups.get(said) ?? new Map<string, number[]>()
    groups.set(said, lists)
    const place = placeOf(entry)
    if (place === null) continue
    const [name, index] = place
    const list = lists.get(name)
    if (list === undefined) lists.set(name, [index])
    else if (list[list.length - 1] !== index) list.push(index)
  }
  let text = ""
  for (const [said, lists] of groups) {
    text += text === "" ? `[{${said}` : `},{${said}`
    for (const [name, list] of lists) text += `,"${name}":[${list.join()}]`
  }
  return text === "" ? "" : `${text}}]`
}

type Conditions = Decision["conditions"]

/** Says whether an entry of the list of what has to be done tells a condition. */
export function isConditionOf(
  { code, steps, transits = [] }: Decision["toDo"][number],
  asked: Pick<Conditions[number], "code" | "step" | "transit">,
): boolean {
  return code === asked.code && (asked.step === null ? transits : steps).includes((asked.step ?? asked.transit)!)
}

function sayConditions(conditions: Conditions, toDo: Decision["toDo"]): string {
  const isToDo = ({ message, ...condition }: Conditions[number]) =>
    toDo.some(each => each.message === message && isConditionOf(each, condition))
  return sayAlike(
    conditions.filter(each => !isToDo(each)),
    ({ code, message }) => `"code":"${code}","message":${quote(message)}`,
    ({ step, transit }) => (step === null ? ["transits", transit!] : ["steps", step]),
  )
}

const INDEXED = /^(\w+)\[(\d+)\]\.(.+)$/

/** The path of an unknown field: as it is written, without the place in a list, and that place. */
interface ReadPath {
  readonly field: string
  readonly place: readonly [name: string, place: number] | null
}
function readPath(path: string): ReadPath {
  const [, list, place] = INDEXED.exec(path) ?? []
  const field = quote(toSnakeCase(path.replace(INDEXED, "$1[].$3")))
  return { field, place: list === undefined ? null : [toSnakeCase(list), Number(place)] }
}

const sayUnknowns = (unknowns: Decision["unknowns"]): string =>
  sayAlike(
    unknowns,
    ({ field, code, reason }) => `"field":${readPath(field).field},"code":"${code}","reason":${quote(reason)}`,
    ({ field, step }) => readPath(field).place ?? (step === null ? null : ["steps", step]),
  )

const FIELDS = fieldWriters(ONE, COMPACT, {
  special: {
    steps: listWriter(STEP, ""),
    transit: listWriter(TRANSIT, ""),
    toDo: listWriter(TO_DO, ""),
    conditions: (conditions: Conditions, { whole }) => sayConditions(conditions, (whole as Decision).toDo),
    unknowns: sayUnknowns,
  },
  before: "",
})

const writeOne = (decision: Decision, idOf: Context["idOf"]): string =>
  writeFields(FIELDS, decision as never, { whole: decision, idOf })

// What each traveller's own decision says is not said again for the group.
const GROUP_FIELDS = (() => {
  const { outcome, verdict, travellers } = fieldsOf(GROUP_ANSWER)
  const special = {
    travellers: (all: GroupDecision["travellers"], { idOf }: Context) =>
      `[${all.map(one => `{${writeOne(one, idOf)}}`).join()}]`,
  }
  return fieldWriters({ outcome, verdict, travellers } as AnswerFields, COMPACT, { special, before: "" })
})()

const VIEW = `"view":"${DECISION_VIEWS[1]}"`

/** Writes a decision in its compact form, without the opening brace, for callers that put their own fields in front. */
export function writeCompactFields(
  dataset: Dataset,
  decision: Decision | GroupDecision,
  lang: Language = DEFAULT_LANGUAGE,
): string {
  const ids = new Map<string, string>()
  /** Rules with the same content have one id. */
  const idOf = (rule: object): string => {
    const text = writeRule(rule)
    const id = ids.get(text) ?? `"r${ids.size + 1}"`
    ids.set(text, id)
    return id
  }
  const said =
    "travellers" in decision
      ? writeFields(GROUP_FIELDS, decision as never, { whole: null, idOf })
      : writeOne(decision, idOf)
  const rules = Array.from(ids, ([text, id]) => `${id}:${text}`).join()
  // Without the size of the dataset.
  const { coverage: _, languages: __, ...meta } = describeMeta(dataset, lang)
  return `"data":{${VIEW},${said}${rules === "" ? "" : `,"rules":{${rules}}`}},"meta":${writeDecisionMeta(decision, meta)}}`
}

/** Writes a decision in its compact form, as the body of its answer. */
export const writeCompact = (dataset: Dataset, decision: Decision | GroupDecision, lang?: Language): string =>
  `{${writeCompactFields(dataset, decision, lang)}`
