/** Where can these travellers go together? */
import { type Dataset, type GroupDestination, intersectGroup, type Requirement } from "../../src/engine.ts"
import { describeMeta, found, noRecord, refused } from "./answer-outcome.ts"

export interface GroupQuestion {
  readonly passports: readonly string[]
  readonly allow?: readonly Requirement[] | undefined
}

type Member = GroupDestination["passports"][number]

const describeMember = ({ passport, requirement, uncertain, days, home }: Member) => ({
  passport,
  requirement,
  ...(uncertain ? { requirement_status: "uncertain" } : {}),
  visa_free_days: days,
  ...(home ? { home: true } : {}),
})

const describeDestination = (entry: GroupDestination) => ({
  destination: entry.destination,
  worst_requirement: entry.worstRequirement,
  group_visa_free_days: entry.groupVisaFreeDays,
  group_stay: entry.groupStay,
  passports: entry.passports.map(describeMember),
})

/** Every destination that all of them can enter, easiest first. */
export function describeGroup(dataset: Dataset, { passports, allow }: GroupQuestion) {
  const result = intersectGroup(dataset, passports, { allow })
  if (!result.ok) return refused(result.error.message)
  const { value: group } = result
  if (group.kind !== "found") return noRecord(group.message)
  const data = {
    passports: group.passports,
    allow: group.allow,
    count: group.count,
    destinations: group.destinations.map(describeDestination),
  }
  return found({ data, meta: describeMeta(dataset) })
}
