/**
 * Where can these travellers go together?
 *
 * The list has some two hundred destinations with an answer for each traveller, most of them alike. {@link writeGroup} writes the same
 * text as `JSON.stringify` would of {@link describeGroup}, from pieces that are kept for each answer that the engine shares.
 */
import { type Dataset, type Group, type GroupDestination, intersectGroup, type Requirement } from "../../src/engine.ts"
import { describeMeta, found, noRecord, type Outcome, refused, writeWithMeta } from "./answer-outcome.ts"

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

function findGroup(dataset: Dataset, { passports, allow }: GroupQuestion): Outcome<Group> {
  const result = intersectGroup(dataset, passports, { allow })
  if (!result.ok) return refused(result.error.message)
  return result.value.kind === "found" ? found(result.value) : noRecord(result.value.message)
}

/** Every destination that all of them can enter, easiest first. */
export function describeGroup(dataset: Dataset, question: GroupQuestion) {
  const outcome = findGroup(dataset, question)
  if (outcome.kind !== "found") return outcome
  const { passports, allow, count, destinations } = outcome.body
  const data = { passports, allow, count, destinations: destinations.map(describeDestination) }
  return found({ data, meta: describeMeta(dataset) })
}

const members = new WeakMap<Member, string>()

/** The text of one traveller's answer; the engine shares its records, so that each is written once. */
function writeMember(member: Member): string {
  let text = members.get(member)
  if (text === undefined) {
    text = JSON.stringify(describeMember(member))
    members.set(member, text)
  }
  return text
}

function writeDestination({
  destination,
  worstRequirement,
  groupVisaFreeDays,
  groupStay,
  passports,
}: GroupDestination) {
  let list = ""
  for (const member of passports) list += list === "" ? writeMember(member) : `,${writeMember(member)}`
  return `{"destination":"${destination}","worst_requirement":"${worstRequirement}","group_visa_free_days":${groupVisaFreeDays},"group_stay":"${groupStay}","passports":[${list}]}`
}

/** The same as JSON text: codes and words need no escapes, so that pieces can be joined. */
export function writeGroup(dataset: Dataset, question: GroupQuestion): Outcome<string> {
  const outcome = findGroup(dataset, question)
  if (outcome.kind !== "found") return outcome
  const { passports, allow, count, destinations } = outcome.body
  let list = ""
  for (const entry of destinations) list += list === "" ? writeDestination(entry) : `,${writeDestination(entry)}`
  const head = `"passports":${JSON.stringify(passports)},"allow":${JSON.stringify(allow)},"count":${count}`
  return found(writeWithMeta(`{${head},"destinations":[${list}]}`, describeMeta(dataset)))
}
