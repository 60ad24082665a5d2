/** `landfall itinerary FILE`: whether anything that is known blocks a journey, and every gap by name. */
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { describeDecision, judgeItinerary } from "../answers/decision.ts"
import {
  CalledWrongly,
  CommandFailed,
  datasetFlag,
  formatTable,
  jsonFlag,
  openDatasetFile,
  printJson,
  readJsonFile,
} from "./outcome.ts"

const USAGE = "landfall itinerary FILE [--json]"

type Finding =
  | { readonly status: "known"; readonly value: unknown }
  | { readonly status: "unknown"; readonly reason: string }

/** The parts of the answer that people read; the names are those of the wire. */
interface DecisionRecord {
  readonly verdict: "no_blocker_found" | "blocked"
  readonly steps: readonly {
    readonly index: number
    readonly destination: string
    readonly from: string
    readonly to: string
    readonly days: number
    readonly passport: string
    readonly requirement: Finding
    readonly max_stay: Finding
    readonly passport_validity: Finding
    readonly zone_stay?: Finding & { readonly zone: string }
  }[]
  readonly blockers: readonly { readonly step: number; readonly code: string; readonly message: string }[]
  readonly conditions: readonly { readonly step: number; readonly code: string; readonly message: string }[]
  readonly unknowns: readonly { readonly step: number | null; readonly field: string; readonly reason: string }[]
}

export const itinerary = Command.make(
  "itinerary",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription(
        'JSON, from a file or from - (the standard input): {"passport", "passport_expiry", "stops": [{"destination", "from", "to"}], "transit"}',
      ),
    ),
    dataset: datasetFlag,
    json: jsonFlag,
  },
  Effect.fnUntraced(function* ({ file, dataset: datasetFile, json }) {
    const dataset = yield* openDatasetFile(datasetFile)
    const read = judgeItinerary(dataset, yield* readJsonFile(file, USAGE))
    if (!read.ok) {
      const { error, example } = read.refusal
      return yield* new CalledWrongly({
        message: `${file}: ${error}\nA whole one: ${JSON.stringify(example)}`,
        usage: USAGE,
      })
    }
    if (read.judged.kind !== "found") return yield* new CommandFailed({ message: read.judged.message })
    const { data } = describeDecision(dataset, read.judged.body)
    yield* json ? printJson(data) : Console.log(describe(data as unknown as DecisionRecord))
  }),
).pipe(Command.withDescription("Judge a whole itinerary: entry, days, zones, passport, transit"))

function describe({ verdict, steps, blockers, conditions, unknowns }: DecisionRecord): string {
  const text = (finding: Finding | undefined) =>
    finding === undefined ? "" : finding.status === "unknown" ? "unknown" : readValue(finding.value)
  const table = formatTable(
    ["stop", "destination", "from", "to", "days", "passport", "requirement", "max stay", "zone days", "passport valid"],
    steps.map(step => [
      step.index,
      step.destination,
      step.from,
      step.to,
      step.days,
      step.passport,
      text(step.requirement),
      text(step.max_stay),
      step.zone_stay === undefined ? "" : `${text(step.zone_stay)} (${step.zone_stay.zone})`,
      text(step.passport_validity),
    ]),
  )
  const list = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ["", title, ...lines.map(line => `  ${line}`)]
  const at = (step: number | null) => (step === null ? "" : `stop ${step}: `)
  return [
    table,
    "",
    verdict === "blocked" ? "BLOCKED" : "No blocker found. That is no permission: see what is unknown.",
    ...list(
      "Blockers:",
      blockers.map(({ step, message, code }) => `${at(step)}${message} (${code})`),
    ),
    ...list(
      "To be obtained:",
      conditions.map(({ step, message, code }) => `${at(step)}${message} (${code})`),
    ),
    ...list(
      "Unknown:",
      unknowns.map(({ step, field, reason }) => `${at(step)}${field}: ${reason}`),
    ),
  ].join("\n")
}

function readValue(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value)
  return Object.entries(value)
    .map(([name, held]) => `${name} ${String(held)}`)
    .join(", ")
}
