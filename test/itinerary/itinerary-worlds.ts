/** Worlds of plain objects for the oracle, and the same worlds compiled and opened for the engine. */
import { readFileSync } from "node:fs"
import { compileFacts, type Facts, type Policy, type Rule } from "../../src/compiler.ts"
import { type Dataset, openParts } from "../../src/engine.ts"
import type { Decision } from "../../src/trip/answer-fields.ts"
import { policy, rule, smallFacts } from "../dataset/small-facts.ts"
import type { OracleItinerary, Summary, World } from "../oracles/decide.ts"
import { dateOf, dayOf } from "../oracles/stay-days.ts"

/** Real rules for destinations (zones, validity, transit) as they were recorded on 2026-11-21, so that correcting one changes no test. */
export const recordedFacts = JSON.parse(
  readFileSync(new URL("../fixtures/travel-rules-2026-11-21.json", import.meta.url), "utf8"),
) as Pick<Facts, "passports" | "zones" | "validity" | "transit" | "sources"> & {
  readonly destinations: readonly { readonly code: string }[]
}

const on = (day: number | null) => (day === null ? null : dateOf(day))

function toPolicies(world: World): Policy[] {
  return world.destinations.map(destination => {
    const rules = world.passports.flatMap((passport): Rule[] => {
      const entries = world.entries[passport + destination] ?? []
      return entries.map(({ fromOn, requirement, days, free, table }, place) =>
        rule([passport], {
          source: table ? "table" : "law",
          requirement: requirement as Rule["requirement"],
          days,
          from: place === 0 ? null : fromOn,
          until: entries[place + 1]?.fromOn ?? null,
          ...(free ? { basis: "freedom_of_movement", bloc: "FREE" } : {}),
        }),
      )
    })
    const conditions = (world.askedAt ?? [])
      .filter(each => each.destination === destination)
      .map(({ requirement, borders, elsewhere }) => ({
        ...{ kind: "asked_at" as const, borders, elsewhere: elsewhere as Rule["requirement"] },
        requirements: [requirement as Rule["requirement"]],
        source: null,
      }))
    return policy(destination, { defaults: [], rules, follows: world.follows[destination] ?? null, conditions })
  })
}

/** Compiles and opens a world. */
export function openWorld(world: World, changes: Partial<Facts> = {}): Dataset {
  const provenance = { source: null, sourceUrl: null, verifiedOn: null }
  const compiled = compileFacts(
    smallFacts({
      asOf: world.sinceOn,
      since: world.sinceOn,
      passports: world.passports,
      destinations: world.destinations.map(code => ({ code, region: null, gdpUsd: null })),
      blocs: [
        {
          id: "FREE",
          freedomOfMovement: true,
          members: world.destinations.map(code => ({ code, from: null, until: null })),
        },
      ],
      policies: toPolicies(world),
      zones: world.zones.map(({ id, rule: { kind, allowanceDays, ...window }, members }) => ({
        id,
        name: id,
        instrument: null,
        kind,
        allowanceDays,
        windowDays: "windowDays" in window ? window.windowDays : null,
        members: members.map(({ code, fromDay, untilDay }) => ({ code, from: on(fromDay), until: on(untilDay) })),
        ...provenance,
      })),
      stayRules: [
        ...(world.stayRules ?? []).map(each => ({ ...each, confidence: "high" as const, ...provenance })),
        ...(world.agreements ?? []).map(({ mayExceed, ...each }, place) => ({
          ...each,
          kind: mayExceed ? ("may_exceed_zone" as const) : ("beside_zone" as const),
          agreement: `Agreement ${place}`,
          confidence: "high" as const,
          ...provenance,
        })),
      ],
      kindRules: (world.kinds ?? []).map(each => ({
        ...each,
        requirement: each.requirement as Rule["requirement"],
        requirements: each.requirements as Rule["requirement"][] | undefined,
        confidence: "high" as const,
        ...provenance,
      })),
      borderRules: [
        ...(world.borders?.open ?? []).map(([one, other]) => ({
          kind: "open_border" as const,
          neighbours: [other],
          destinations: [one],
          confidence: "high" as const,
          ...provenance,
        })),
        ...(world.borders?.own ?? []).map(({ destinations, citizensOf, others, by }) => ({
          kind: "own_passport" as const,
          citizensOf,
          borders: by,
          destinations,
          except: [citizensOf, ...others],
          confidence: "high" as const,
          ...provenance,
        })),
      ],
      validity: world.validity.map(each => ({ ...each, confidence: "high", ...provenance })),
      waivers: (world.waivers ?? []).map(each => ({
        ...each,
        requirement: each.requirement as Rule["requirement"],
        confidence: "high" as const,
        ...provenance,
      })),
      transit:
        world.transit.length === 0
          ? []
          : [
              {
                area: "airside",
                demand: "visa",
                hours: null,
                condition: null,
                isComplete: true,
                confidence: "high",
                passports: null,
                destinations: world.transit,
                ...provenance,
              },
            ],
      ...changes,
    }),
  )
  const opened = compiled.ok ? openParts(compiled.value) : compiled
  if (!opened.ok) throw new Error(opened.error.message)
  return opened.value
}

/** A world with recorded zones, validity and transit rules, and the given entries. */
export function recordedWorld(sinceOn: string, entries: World["entries"]): World {
  return {
    sinceOn,
    passports: recordedFacts.passports,
    destinations: recordedFacts.destinations.map(({ code }) => code),
    entries,
    follows: {},
    zones: recordedFacts.zones.map(({ id, kind, allowanceDays, windowDays, members }) => ({
      id,
      rule: kind === "rolling" ? { kind, allowanceDays, windowDays: windowDays as number } : { kind, allowanceDays },
      members: members.map(({ code, from, until }) => ({
        code,
        fromDay: from === null ? null : dayOf(from),
        untilDay: until === null ? null : dayOf(until),
      })),
    })),
    validity: (recordedFacts.validity ?? []) as World["validity"],
    transit: (recordedFacts.transit ?? []).flatMap(({ destinations }) => destinations),
  }
}

/** The request that asks what the oracle is asked. */
export function toRequest({ travellers, ...rest }: OracleItinerary) {
  return travellers.length === 1 ? { ...travellers[0], ...rest } : { passports: travellers, ...rest }
}

// The place of the document that a stop is entered with.
function documentAt({ steps }: Decision, index: number): Summary["steps"][number]["document"] {
  const requirement = steps[index]?.requirement
  const because = requirement?.status === "known" ? requirement.because?.[0] : undefined
  return because === undefined ? null : (because.document ?? "residence")
}

/** A decision without its words, and without whether transits are permitted, which has an oracle of its own (test/oracles/transit.ts). */
export function summarise(decision: Decision): Summary {
  const blockers = decision.blockers.filter(({ step }) => step !== null)
  return {
    verdict: blockers.length > 0 ? "blocked" : "no_blocker_found",
    pairsCharged: decision.pairsCharged,
    steps: decision.steps.map(
      ({ index, passport, days, requirement, maxStay, daysAccumulated, countedStay, zoneStay, passportValidity }) => ({
        passport,
        document: documentAt(decision, index),
        days: days ?? -1,
        requirement: requirement.status === "known" ? requirement.value : "unknown",
        maxStay: maxStay.status === "known" ? maxStay.value : "unknown",
        daysAccumulated: daysAccumulated.status === "known" ? daysAccumulated.value : -1,
        countedStay:
          countedStay === null ? null : `${countedStay.value} of ${countedStay.allowanceDays} ${countedStay.counting}`,
        zoneStay: zoneStay === null ? null : zoneStay.status === "known" ? zoneStay.value : "unknown",
        passportValidity: passportValidity.status === "known" ? passportValidity.value : "unknown",
      }),
    ),
    blockers: blockers.map(({ step, code, zone, basis }) =>
      [step, code, zone, basis].filter(part => part !== undefined).join(" "),
    ),
    // Which earlier stay was too long is told by tests of its own.
    conditions: decision.conditions
      .filter(({ step }) => step !== null)
      .filter(({ code }) => code !== "earlier_overstay")
      .map(({ step, code }) => `${step} ${code}`),
    unknowns: decision.unknowns
      .filter(
        ({ field, code }) =>
          !(field.endsWith("].permitted") || code === "transit_limits" || code === "document_assumed"),
      )
      .map(({ step, field }) => `${step ?? "-"} ${field}`),
  }
}
