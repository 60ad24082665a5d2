/** What has to be obtained or done for a trip: each task once, with its page, its fee and the latest day to apply, if they are recorded. */
import type { Decision, ToDo } from "landfall"
import { useMemo } from "preact/hooks"
import { usePage } from "../page-context.ts"
import { useTables } from "../pair/facts.ts"
import { LinkedText } from "../pair/linked-text.tsx"
import { readToday } from "../today.ts"
import { nameToDo } from "../verdict/say-verdict.ts"
import { type PlannedDecision, type PlannedToDo, planToDo } from "./applications.ts"

/** Returns a decision with the facts about tasks and extensions, planned; without them until they are loaded, or if they cannot be. */
export function useCompleted(decision: Decision | null): PlannedDecision | null {
  const places = [...(decision?.toDo ?? []), ...(decision?.steps ?? [])].map(({ destination }) => destination)
  const tables = useTables([...new Set(places)])
  return useMemo(() => {
    if (decision === null) return null
    if (tables !== null && tables !== "failed") return planToDo(tables.facts, decision)
    return { ...decision, toDo: decision.toDo.map(each => ({ ...each, backBy: null })) }
  }, [decision, tables])
}

interface ToDoListProps {
  readonly decision: Decision
  readonly toDo: readonly PlannedToDo[]
  readonly stopName: (step: number) => string
}

export function ToDoList({ decision, toDo, stopName }: ToDoListProps) {
  const { words } = usePage()
  if (toDo.length === 0) return null
  return (
    <>
      <h3>{words.say("todo.title")}</h3>
      <ul class="to-do" aria-label={words.say("todo.title")}>
        {toDo.map(each => (
          <li key={`${each.code} ${each.step} ${each.destination}`}>
            <span class="where">{words.locale.list(each.steps.map(stopName))}</span>
            <strong>{nameToDo(words, decision, each)}</strong>
            {each.name !== null && <bdi>{each.name}</bdi>}
            {each.due === "on_arrival" && <span class="note">{words.say("todo.on_arrival")}</span>}
            <Terms {...each} />
          </li>
        ))}
      </ul>
      {toDo.some(({ backBy }) => backBy !== null) && <p class="note">{words.say("todo.assumed")}</p>}
    </>
  )
}

interface TermsProps extends Pick<ToDo, "applyBy" | "fee" | "url"> {
  readonly backBy?: string | null
}

/** Until when to apply, what it costs, and the page that says so, as far as they are recorded. */
export function Terms({ applyBy, backBy = null, fee, url }: TermsProps) {
  const { words } = usePage()
  return (
    <>
      {applyBy !== null && <span class="note">{words.say("todo.apply_by", { date: { on: applyBy } })}</span>}
      {applyBy !== null && applyBy < readToday() && <span class="bad-line">{words.say("todo.late")}</span>}
      {backBy !== null && <span class="note">{words.say("todo.back_by", { date: { on: backBy } })}</span>}
      {fee !== null && <span class="note">{words.say("todo.fee", { fee: { money: fee } })}</span>}
      {url !== null && <LinkedText text={url} />}
    </>
  )
}
