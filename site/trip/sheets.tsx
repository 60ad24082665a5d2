/** A printed sheet for each traveller, on a separate page, with the information for a check-in counter. It is not shown on a screen. */

import type { Decision } from "landfall"
import { sayNotice } from "landfall/full"
import { useEffect, useState } from "preact/hooks"
import { readToday } from "../answers.ts"
import { Table } from "../controls/controls.tsx"
import { usePage } from "../page-context.ts"
import { nameHeldKind } from "../verdict/verdict.tsx"
import type { Judgement } from "./judge-trip.ts"
import { Conditions, groupBlockers, nameTransit, OutcomeLine } from "./outcome.tsx"
import { listRows } from "./take-along.tsx"
import { ToDoList, useCompleted } from "./to-do.tsx"
import { listTravellers, type Trip } from "./trip.ts"
import { nameTraveller } from "./trip-form.tsx"

interface SheetsProps {
  readonly trip: Trip
  /** By traveller. */
  readonly judgements: readonly Judgement[]
}

/** Says whether the page is being printed. */
function useIsPrinting(): boolean {
  const [isPrinting, setPrinting] = useState(() => matchMedia("print").matches)
  useEffect(() => {
    const media = matchMedia("print")
    const follow = () => setPrinting(media.matches)
    const begin = () => setPrinting(true)
    media.addEventListener("change", follow)
    window.addEventListener("beforeprint", begin)
    window.addEventListener("afterprint", follow)
    return () => {
      media.removeEventListener("change", follow)
      window.removeEventListener("beforeprint", begin)
      window.removeEventListener("afterprint", follow)
    }
  }, [])
  return isPrinting
}

export function Sheets({ trip, judgements }: SheetsProps) {
  if (!useIsPrinting()) return null
  return (
    <div class="sheets">
      {judgements.map(({ decision }, at) => decision !== null && <Sheet key={at} {...{ trip, at, decision }} />)}
    </div>
  )
}

interface SheetProps extends Pick<SheetsProps, "trip"> {
  readonly at: number
  readonly decision: Decision
}

function Sheet({ trip, at, decision: judged }: SheetProps) {
  const { words } = usePage()
  const decision = useCompleted(judged)
  if (decision === null) return null
  const { toDo } = decision
  const [heads = [], ...rows] = listRows(words, decision, toDo)
  const { passports = [], held = [] } = listTravellers(trip)[at] ?? {}
  const stopName = (step: number) => words.country(decision.steps[step]?.destination ?? "")
  return (
    <section class="sheet">
      <h2>{nameTraveller(words, trip, at)}</h2>
      <p>
        {passports.map(({ passport, passportExpiry, passportKind }) => (
          <span key={passport} class="where">
            {words.locale.label(
              passportKind == null
                ? words.country(passport)
                : words.locale.list([words.country(passport), words.say(`passport.${passportKind}`)]),
              passportExpiry == null
                ? words.say("trip.not_given")
                : words.locale.label(words.say("trip.expiry"), words.date(passportExpiry)),
            )}
          </span>
        ))}
        {held.map(({ kind, issuer, validUntil }, place) => (
          <span key={place} class="where">
            {words.locale.label(nameHeldKind(words, kind), words.country(issuer))}
            {validUntil !== undefined && ` (${words.locale.label(words.say("trip.expiry"), words.date(validUntil))})`}
          </span>
        ))}
      </p>
      <h3>
        <OutcomeLine decision={decision} />
      </h3>
      <Table label={words.say("trip.stops")} heads={heads}>
        {rows.map((row, place) => (
          <tr key={place}>
            {row.map((cell, column) => (
              <td key={column}>{cell}</td>
            ))}
          </tr>
        ))}
      </Table>
      <ul class="bullets">
        {groupBlockers(decision.blockers).map(([blocker]) => (
          <li key={`${blocker.step} ${blocker.code}`}>
            <strong>{blocker.step === null ? nameTransit(words, decision, blocker) : stopName(blocker.step)}</strong>{" "}
            {sayNotice(words.locale, blocker)}
          </li>
        ))}
      </ul>
      <ToDoList {...{ decision, toDo, stopName }} />
      <Conditions {...{ decision, toDo, stopName }} />
      <p class="note">
        {words.say("trip.unknowns", { count: decision.unknowns.length })} ·{" "}
        {words.locale.label(words.say("foot.dataset"), decision.datasetVersion)} · {words.date(readToday())}
      </p>
      <p class="note">{words.say("foot.honest")}</p>
    </section>
  )
}
