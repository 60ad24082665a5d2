/** A judged trip as a calendar, a table, a print and a link. Files are made in the page. */
import type { Decision, ToDo } from "landfall"
import { Button, CopyButton } from "../controls/controls.tsx"
import { type DayEvent, download, downloadTable, writeCalendar } from "../download.ts"
import type { Words } from "../language/words.ts"
import { usePage } from "../page-context.ts"
import { nameToDo } from "../verdict/verdict.tsx"
import { wholeDataset } from "../whole-dataset.ts"
import { nameZone } from "./stop-list.tsx"
import { listTransits, type ToDoListProps } from "./to-do.tsx"

export function TakeAlong({ decision, toDo }: Omit<ToDoListProps, "stopName">) {
  const { words, address, linkTo } = usePage()
  const writeEvents = () => writeCalendar(listEvents(words, decision, toDo), new Date().toISOString())
  return (
    <div class="trip-files">
      <Button
        label={words.say("trip.export_calendar")}
        onClick={() => download("trip.ics", "text/calendar", writeEvents())}
      />
      <Button
        label={words.say("trip.export_table")}
        onClick={() => downloadTable("trip", listRows(words, decision, toDo))}
      />
      <Button label={words.say("pair.print")} onClick={() => window.print()} />
      <CopyButton label={words.say("pair.copy")} text={() => new URL(linkTo(address), location.href).href} />
    </div>
  )
}

function sayRequirement(words: Words, { requirement }: Decision["steps"][number]): string {
  return words.say(requirement.status === "known" ? `requirement.${requirement.value}` : "category.unknown")
}

function listEvents(words: Words, decision: Decision, toDo: readonly ToDo[]): readonly DayEvent[] {
  const stops = decision.steps.map((step, at) => ({
    id: `stop-${at}-${step.destination}-${step.from}`,
    from: step.from,
    to: step.to ?? step.from,
    title: words.country(step.destination),
    note: sayRequirement(words, step),
  }))
  const deadlines = toDo.flatMap(each =>
    each.applyBy === null
      ? []
      : [
          {
            id: `apply-${each.code}-${each.destination}-${each.applyBy}`,
            from: each.applyBy,
            to: each.applyBy,
            title: words.locale.label(words.country(each.destination), nameToDo(words, decision, each)),
            note: [
              ...(each.applyFrom === undefined ? [] : [words.say("todo.apply_from", { date: { on: each.applyFrom } })]),
              words.say("todo.apply_by", { date: { on: each.applyBy } }),
              ...(each.backBy === undefined ? [] : [words.say("todo.back_by", { date: { on: each.backBy } })]),
              each.url ?? "",
            ]
              .join("\n")
              .trim(),
          },
        ],
  )
  const leaving = wholeDataset().zones.flatMap(({ id }) => {
    const last = decision.steps.findLast(({ zoneStay }) => zoneStay?.zone === id && zoneStay.status === "known")
    if (last?.zoneStay?.status !== "known" || last.to === null) return []
    const { value, allowanceDays } = last.zoneStay
    const zone = nameZone(words, id)
    const note = words.say("trip.zone_used", { zone, used: { days: value }, allowed: { days: allowanceDays } })
    return [
      { id: `zone-${id}-${last.to}`, from: last.to, to: last.to, title: words.say("trip.leave_zone", { zone }), note },
    ]
  })
  return [...stops, ...deadlines, ...leaving]
}

/** The stops as rows of a table, its head first. */
export function listRows(words: Words, decision: Decision, toDo: readonly ToDo[]): readonly (readonly string[])[] {
  const heads = [
    "word.destination",
    "trip.from",
    "trip.to",
    "where.days",
    "word.passport",
    "label.requirement",
  ] as const
  const deadline = (each: ToDo) => `${nameToDo(words, decision, each)} ${each.applyBy ?? ""}`.trim()
  const deadlines = (step: number) => toDo.filter(({ steps }) => steps.includes(step)).map(deadline)
  return [
    [...heads.map(key => words.say(key)), words.say("todo.title")],
    ...decision.steps.map(step => [
      words.country(step.destination),
      step.from,
      step.to ?? "",
      String(step.days ?? ""),
      words.country(step.passport),
      sayRequirement(words, step),
      deadlines(step.index).join("; "),
    ]),
    ...toDo.flatMap(each =>
      listTransits(words, decision, each).map(place => [
        place,
        "",
        "",
        "",
        words.country(each.passport),
        "",
        deadline(each),
      ]),
    ),
  ]
}
