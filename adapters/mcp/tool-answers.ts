/**
 * What does each tool answer?
 *
 * Names are converted to codes first. An ambiguous name is refused with all countries that it may mean, because a model that guesses may
 * send somebody to the wrong country. Without a record the answer is that it is unknown, in words that cannot be mistaken for permission.
 */
import { Effect, type Schema } from "effect"
import type { DecisionOnWire } from "../../src/answers.ts"
import {
  BRITISH_CLASSES,
  costOfRequest,
  type Dataset,
  type Decision,
  type Due,
  easeRank,
  type FieldKind,
  type FieldRow,
  type GroupDecision,
  lookupRequirement,
  parseCivilDate,
  REQUIREMENTS,
  type Requirement,
} from "../../src/engine.ts"
import {
  assembleFullRecord,
  type CountryFinder,
  explainMatch,
  LANGUAGES,
  type Language,
  type LocalisedFacts,
  loadPlaceWords,
  makeCountryFinder,
} from "../../src/full.ts"
import { zone as findZone } from "../../src/index.ts"
import { DEFAULT_LANGUAGE, findLanguage } from "../answers/answer-languages.ts"
import { helpWithIssue } from "../answers/code-help.ts"
import { isConditionOf } from "../answers/compact-decision.ts"
import { datasetFor, helpRefusal, judgeInPieces, readItinerary } from "../answers/decision.ts"
import { reportStays } from "../answers/stay-report.ts"
import {
  countPairs,
  describeComparison,
  describeGroup,
  describeScore,
  gateFullRecord,
  weighBulk,
} from "../answers/visa-answers.ts"
import { toWire } from "../answers/wire-names.ts"
import { describeDecision } from "../answers/write-decision.ts"
import { workInPieces } from "../time/work-in-pieces.ts"
import { type Fields, isFields, showValue } from "../validation/fields.ts"
import {
  Asker,
  CheckGroup,
  CheckTransitVisa,
  CheckVisaRequirement,
  CompareDestinations,
  ComparePassports,
  GetAllDestinations,
  ITINERARY_FIELDS,
  QuickVisaCheck,
  ScorePassport,
  StayDays,
  ToolRefused,
  takes,
} from "./tools.ts"

// How is a decision told in sentences, as a model can repeat them?

/** Says the outcome of a decision, what has to be done and when, and how much is unknown. */
function sayDecision(decision: Decision | GroupDecision): string {
  const { outcome, blockers, toDo, conditions, unknowns } = decision
  const list = (wanted: Due) =>
    toDo.flatMap(({ due, destination, message }) => (due === wanted ? [`${destination}: ${message}`] : [])).join(" ")
  const found = {
    blocked: `Blocked: ${blockers.map(({ message }) => message).join(" ")}`,
    obtain: `To be obtained before departure: ${list("before_departure")}`,
    unknown: "Nothing that is known blocks this journey, but something that decides is unknown or has to be checked.",
    clear: "Nothing that is known blocks this journey.",
  }[outcome]
  const say = (title: string, sentences: string) =>
    outcome === "blocked" || sentences === "" ? "" : ` ${title}: ${sentences}`
  const onArrival = say("On arrival", list("on_arrival"))
  const others = conditions.filter(condition => !toDo.some(each => isConditionOf(each, condition)))
  const under = say("Conditions", [...new Set(others.map(({ message }) => message))].join(" "))
  const gaps = unknowns.length === 1 ? "1 thing is" : `${unknowns.length} things are`
  const rest = unknowns.length === 0 ? "" : ` ${gaps} unknown (see \`decision\`); unknown does not mean permitted.`
  return `${found}${onArrival}${under}${rest}`
}

export interface Knowledge {
  /** The dataset as it is on the day of the call. */
  readonly readDataset: () => Dataset
  readonly loadFacts: (dataset: Dataset, language: Language) => Promise<LocalisedFacts>
}

const WORDS: Readonly<Record<Requirement, string>> = {
  visa_free: "needs no visa",
  eta: "needs a travel authorisation (ETA) before travel, and no visa",
  visa_on_arrival: "gets a visa on arrival",
  e_visa: "needs an electronic visa before travel",
  visa_required: "needs a visa before travel",
  no_admission: "is not admitted",
}

const LIMIT_OF_GROUP = 20
/** The end of the path of a passport. */
const PASSPORT_FIELD = /passports?(?:\[\d+\])?$/

/** Unknown requirements come after all known ones. */
const rankOf = (requirement: Requirement | null): number =>
  requirement === null ? REQUIREMENTS.length : easeRank(requirement)

const describeDataset = ({ version, asOf }: Dataset) => ({ version, as_of: asOf })

const refuse = (message: string) => new ToolRefused({ message })

/** Work that may throw a refusal, as an effect that fails with it. */
const attempt = <A>(work: () => A): Effect.Effect<A, ToolRefused> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(work())
    } catch (cause) {
      if (cause instanceof ToolRefused) return Effect.fail(cause)
      throw cause
    }
  })

/** The next step for a model if a country is not certain. */
const ADVICE = {
  two_letters: " Call again with it.",
  ambiguous: " Ask which one is meant.",
  unknown: " Ask, and call again with the code.",
  nameless: " Give its ISO 3166-1 alpha-3 code; the resource visa://country-codes lists them.",
} as const

/** Makes the answers of all tools over what is known. */
export const makeAnswers = ({ readDataset, loadFacts }: Knowledge) => {
  const finders = new Map<string, CountryFinder>()

  const open = (lang?: string) =>
    Effect.gen(function* () {
      const dataset = readDataset()
      const language = findLanguage(lang ?? DEFAULT_LANGUAGE)
      if (language === undefined)
        return yield* refuse(`language: ${showValue(lang)} is not one of ${LANGUAGES.join(", ")}.`)
      const localised = yield* Effect.promise(() => loadFacts(dataset, language))
      let finder = finders.get(dataset.version)
      if (finder === undefined) {
        const words = yield* Effect.promise(loadPlaceWords)
        finder = makeCountryFinder(dataset.destinations, localised.facts.alpha2Of, { words })
        finders.clear()
        finders.set(dataset.version, finder)
      }
      return { dataset, localised, finder, asker: yield* Asker }
    })

  type Opened = Effect.Success<ReturnType<typeof open>>

  /** Makes the handler of a tool, whose answer also names its dataset. */
  const answers = <Given extends Schema.Codec<unknown>, Answered extends object>(
    tool: { readonly parameters: Given },
    answer: (asked: Given["Type"], opened: Opened) => Effect.fn.Return<Answered, ToolRefused>,
  ) =>
    takes(tool, asked =>
      Effect.gen(function* () {
        const opened = yield* open((asked as { readonly language?: string }).language)
        return { ...(yield* Effect.gen(() => answer(asked, opened))), dataset: describeDataset(opened.dataset) }
      }),
    )

  /** Finds the code of a text; throws a refusal with advice. */
  const codeOf = ({ find }: CountryFinder, text: string, field: string): string => {
    const match = find(text)
    if (match.kind === "found") return match.code
    const isNameless = match.kind === "unknown" && match.candidates.length === 0
    const advice = isNameless ? ADVICE.nameless : ADVICE[match.kind]
    throw refuse(`${field}: ${explainMatch(match, text)}${advice}`)
  }

  const resolve = (finder: CountryFinder, text: string, field: string) => attempt(() => codeOf(finder, text, field))

  const resolveAll = (finder: CountryFinder, texts: readonly string[], field: string) =>
    attempt(() => texts.map((text, at) => codeOf(finder, text, `${field}[${at}]`)))

  /** As above, for a field that may be a passport: classes of British nationals have passports, and are no countries. */
  const codeOfHolder = (finder: CountryFinder, text: string, path: string) =>
    PASSPORT_FIELD.test(path) && BRITISH_CLASSES.includes(text) ? text : codeOf(finder, text, path)

  /** Finds the codes of all fields that are codes in a table. Everything else stays as it is given, and is judged by the reader of itineraries. */
  const findCodes = (finder: CountryFinder, is: FieldKind, given: unknown, path: string): unknown => {
    const isCode = is.kind === "code" || (is.kind === "object" && is.bare !== null)
    if (isCode && typeof given === "string") return codeOfHolder(finder, given, path)
    if (is.kind === "list" && Array.isArray(given) && given.length <= is.most) {
      return given.map((entry, at) => findCodes(finder, is.of, entry, `${path}[${at}]`))
    }
    return is.kind === "object" && isFields(given)
      ? findFieldCodes(finder, Object.values(is.fields), given, `${path}.`)
      : given
  }
  const findFieldCodes = (finder: CountryFinder, rows: readonly FieldRow[], given: Fields, path: string) => {
    const found = { ...given }
    for (const { wire, is } of rows) {
      if (Object.hasOwn(given, wire)) found[wire] = findCodes(finder, is, given[wire], `${path}${wire}`)
    }
    return found
  }

  const describePair = (dataset: Dataset, finder: CountryFinder, passport: string, destination: string) => {
    const answer = lookupRequirement(dataset, passport, destination)
    const from = finder.nameOf(passport)
    const to = finder.nameOf(destination)
    const named = { passport, passport_country: from, destination, destination_country: to }
    if (answer.kind !== "found") {
      const statement = `Unknown: nothing is recorded for holders of a passport of ${from} who go to ${to}. This does not mean that no visa is needed; ask ${to}'s embassy or border authority.`
      return {
        status: "unknown" as const,
        ...named,
        requirement: null,
        visa_free_days: null,
        uncertain: false,
        statement,
      }
    }
    const { requirement, days, home, uncertain } = answer
    const stay = days === null || requirement === "no_admission" ? "" : `, for up to ${days} days`
    const doubt = uncertain ? " This is uncertain: check it with the embassy." : ""
    const statement = home
      ? `A holder of a passport of ${from} is at home in ${to}.`
      : `A holder of a passport of ${from} ${WORDS[requirement]} for ${to}${stay}, as of ${dataset.asOf}.${doubt} Data, not legal advice.`
    return { status: "recorded" as const, ...named, requirement, visa_free_days: days, uncertain, statement }
  }

  /** Finds the codes of a pair, charges for it, and describes it. */
  const answerPair = <Answered>(
    { dataset, finder, asker }: Opened,
    asked: { readonly passport: string; readonly destination: string },
    add: (pair: { readonly passport: string; readonly destination: string }) => Answered,
  ) =>
    Effect.gen(function* () {
      const passport = yield* resolve(finder, asked.passport, "passport")
      const destination = yield* resolve(finder, asked.destination, "destination")
      return yield* asker.pay({ pairs: [[passport, destination]], charge: 1 }, () => ({
        ...describePair(dataset, finder, passport, destination),
        ...add({ passport, destination }),
      }))
    })

  const getRecentChanges = () =>
    Effect.sync(() => ({
      status: "unavailable" as const,
      statement:
        "There is no feed of recent changes. That does not mean that nothing has changed: check the pair itself, and the day of its sources.",
      dataset: describeDataset(readDataset()),
    }))

  return {
    check_visa_requirement: answers(CheckVisaRequirement, function* (asked, opened) {
      return yield* answerPair(opened, asked, pair => ({
        record: gateFullRecord(opened.localised, pair, opened.asker.reader) as Record<string, unknown> | null,
      }))
    }),
    quick_visa_check: answers(QuickVisaCheck, function* (asked, opened) {
      return yield* answerPair(opened, asked, () => ({}))
    }),
    compare_destinations: answers(CompareDestinations, function* (asked, { dataset, finder, asker }) {
      const passport = yield* resolve(finder, asked.passport, "passport")
      const destinations = [...new Set(yield* resolveAll(finder, asked.destinations, "destinations"))]
      const { charge } = weighBulk(
        dataset,
        { passport, destinations },
        { withDestinations: "pair", withoutDestinations: "pair" },
      )
      const pairs = destinations.map(code => [passport, code] as const)
      return yield* asker.pay({ pairs, charge: Math.max(1, charge) }, () => ({
        passport,
        passport_country: finder.nameOf(passport),
        destinations: destinations
          .map(code => describePair(dataset, finder, passport, code))
          .sort((a, b) => rankOf(a.requirement) - rankOf(b.requirement)),
      }))
    }),
    check_transit_visa: answers(CheckTransitVisa, function* (asked, { localised, finder, asker }) {
      const passport = yield* resolve(finder, asked.passport, "passport")
      const country = yield* resolve(finder, asked.transit_country, "transit_country")
      return yield* asker.pay({ pairs: [[passport, country]], charge: 1 }, () => {
        const rule = assembleFullRecord(localised, passport, country)?.transit_visa ?? null
        const name = finder.nameOf(country)
        const statement =
          rule === null
            ? `Unknown: no transit rule of ${name} is recorded. This does not mean that no visa is needed for transit; ask the airline.`
            : `A transit rule of ${name} is recorded (see \`rule\`). check_itinerary decides by it whether this traveller may change there. The airport, the terminal and the onward ticket matter too: ask the airline.`
        return {
          status: rule === null ? ("unknown" as const) : ("rule_recorded" as const),
          passport,
          transit_country: country,
          rule,
          statement,
        }
      })
    }),
    get_coverage_stats: () =>
      Effect.sync(() => {
        const dataset = readDataset()
        const { recorded } = countPairs(dataset)
        return {
          passports: dataset.passports.length,
          destinations: dataset.destinations.length,
          recorded_pairs: recorded,
          unknown_pairs: dataset.pairs.length - recorded,
          languages: LANGUAGES.length,
          dataset: describeDataset(dataset),
        }
      }),
    get_all_destinations: answers(GetAllDestinations, function* (_, { dataset, localised }) {
      const { destinations } = dataset
      const listed = destinations.map(code => ({ code, name: localised.locale.nameCountry(code) }))
      return { count: listed.length, destinations: listed }
    }),
    get_recent_changes: getRecentChanges,
    get_visa_changes: getRecentChanges,
    check_group: answers(CheckGroup, function* (asked, { dataset, finder, asker }) {
      const passports = yield* resolveAll(finder, asked.passports, "passports")
      const outcome = describeGroup(dataset, { passports })
      if (outcome.kind !== "found") return yield* refuse(outcome.message)
      const { count, destinations } = outcome.body.data
      const listed = destinations.slice(0, asked.limit ?? LIMIT_OF_GROUP)
      const pairs = listed.flatMap(({ destination }) => passports.map(code => [code, destination] as const))
      return yield* asker.pay({ pairs, charge: 1 }, () => ({
        passports,
        count,
        destinations: listed.map(({ destination, worst_requirement, group_visa_free_days }) => ({
          destination,
          country: finder.nameOf(destination),
          hardest_requirement: worst_requirement,
          shortest_days: group_visa_free_days,
        })),
      }))
    }),
    check_itinerary: (given: unknown) =>
      Effect.gen(function* () {
        const { dataset, localised, finder, asker } = yield* open()
        if (isFields(given) && "travellers" in given) return yield* refuse("travellers: A call is about one traveller.")
        const body = yield* attempt(() => findFieldCodes(finder, ITINERARY_FIELDS, given as Fields, ""))
        const read = readItinerary(body, dataset)
        if (!read.ok) return yield* refuse(helpRefusal(read.refusal, helpWithIssue).error)
        const cost = costOfRequest(dataset, read.request)
        const pairs = cost.passports.flatMap(code => cost.destinations.map(each => [code, each] as const))
        const charge = Math.max(1, cost.pairsCharged)
        const opened = yield* asker.pay({ pairs, charge }, () => datasetFor(dataset, read.request))
        const judged = yield* Effect.promise(async () =>
          workInPieces(judgeInPieces(await opened, read.request, localised.facts), asker.giveWay),
        )
        if (judged.kind !== "found") {
          const statement = `Unknown: ${judged.message} This is not a permission to travel.`
          const nothing = { outcome: "unknown", verdict: "unknown", statement, decision: null } as const
          return { ...nothing, dataset: describeDataset(dataset) }
        }
        const { outcome, verdict } = judged.body
        const { data } = describeDecision(dataset, judged.body) as { readonly data: DecisionOnWire }
        return {
          outcome,
          verdict,
          statement: sayDecision(judged.body),
          decision: data,
          dataset: describeDataset(dataset),
        }
      }),
    score_passport: answers(ScorePassport, function* (asked, { dataset, finder }) {
      const passport = yield* resolve(finder, asked.passport, "passport")
      const outcome = describeScore(dataset, passport)
      if (outcome.kind !== "found") return yield* refuse(outcome.message)
      const { score, rank, total_ranked, visa_free_count } = outcome.body
      return { passport, country: finder.nameOf(passport), score, rank, total_ranked, visa_free_count }
    }),
    compare_passports: answers(ComparePassports, function* (asked, { dataset, finder }) {
      const outcome = describeComparison(dataset, {
        passport1: yield* resolve(finder, asked.passport1, "passport1"),
        passport2: yield* resolve(finder, asked.passport2, "passport2"),
      })
      if (outcome.kind !== "found") return yield* refuse(outcome.message)
      return { comparison: outcome.body.data as Record<string, unknown> }
    }),
    stay_days: answers(StayDays, function* (asked, { dataset, finder }) {
      const id = asked.zone ?? "schengen"
      const zone = findZone(id, dataset)
      if (zone === undefined) {
        return yield* refuse(`zone: ${showValue(id)} is not one of ${dataset.zones.map(each => each.id).join(", ")}.`)
      }
      const on = asked.on ?? dataset.asOf
      if (parseCivilDate(on) === null) return yield* refuse(`on: ${showValue(on)} is not a calendar date YYYY-MM-DD.`)
      const stays = yield* attempt(() =>
        asked.stays.map((stay, at) => ({
          ...stay,
          destination: codeOf(finder, stay.destination, `stays[${at}].destination`),
        })),
      )
      const report = reportStays({ zone, stays, on, days: asked.days })
      if (!report.ok) return yield* refuse(report.error.message)
      return { zone: id, report: toWire(report.value) as Record<string, unknown> }
    }),
  }
}
