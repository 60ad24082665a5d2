/** `GET /api/v1/visa/group`: where can these travellers go together? */
import { type Dataset, type GroupDestination, intersectGroup, type Requirement } from "../../../src/index.ts"
import { type Answer, answerError, answerJson, NOT_STORED } from "../answer.ts"
import { describeAnswer } from "./meta.ts"

/** The question of a group, its codes and requirements as they stand in the query. */
export interface GroupQuestion {
  readonly passports: string
  readonly allow?: string | undefined
}

type Member = GroupDestination["passports"][number]

const describeMember = ({ passport, requirement, uncertain, days, home }: Member) => ({
  passport,
  requirement,
  ...(uncertain ? { requirement_status: "uncertain" } : {}),
  visa_free_days: days,
  ...(home ? { home: true } : {}),
})

/** Answers 200, 400 for passports that are not distinct, or 404 for a passport of which nothing is recorded. */
export function answerGroup(dataset: Dataset, { passports, allow }: GroupQuestion): Answer {
  const result = intersectGroup(dataset, passports.split(","), {
    allow: allow?.split(",") as Requirement[] | undefined,
  })
  if (!result.ok) return answerError(400, result.error.message)
  const group = result.value
  if (group.kind !== "found") return answerError(404, group.message)
  const data = {
    passports: group.passports,
    allow: group.allow,
    count: group.count,
    destinations: group.destinations.map(entry => ({
      destination: entry.destination,
      worst_requirement: entry.worstRequirement,
      group_visa_free_days: entry.groupVisaFreeDays,
      group_stay: entry.groupStay,
      passports: entry.passports.map(describeMember),
    })),
  }
  return answerJson(200, { data, meta: describeAnswer(dataset) }, NOT_STORED)
}
