/** The stops in order: where, from which day to which, and the findings on each. */
import { addressOf } from "../address.ts"
import { dateOf, dayOf, isTooFarAhead, readToday, sayTooFarAhead } from "../answers.ts"
import { NO_QUESTION, NOBODY } from "../ask/question.ts"
import { DateField, Flag, IconButton, RemoveButton, Section, Selection } from "../controls/controls.tsx"
import { CountryPicker } from "../controls/country-picker.tsx"
import { holdingOf } from "../holdings.ts"
import type { Words } from "../language/words.ts"
import { usePage } from "../page-context.ts"
import { CODES } from "../places.ts"
import { decisionOnStop, readVerdict } from "../verdict/judge-visit.ts"
import { listBecause, OutcomeWord, sayReason } from "../verdict/verdict.tsx"
import { wholeViewOn } from "../whole-dataset.ts"
import { isStopBlocked, type Judgement } from "./judge-trip.ts"
import { MOST, readKind, type Trip, type TripStop, WAYS } from "./trip.ts"

interface StopsProps {
  readonly trip: Trip
  readonly judgement: Judgement
  readonly onChange: (stops: readonly TripStop[]) => void
}

const DAYS_AHEAD = 30
const FIRST_LENGTH = 7

/** A stop that follows the others: from the day on which the last one ends, for a week. */
function nextStop(stops: readonly TripStop[], destination: string): TripStop {
  const end = stops.findLast(({ to }) => to !== "")?.to
  const from = end === undefined ? dayOf(readToday()) + DAYS_AHEAD : dayOf(end)
  return { destination, from: dateOf(from), to: dateOf(from + FIRST_LENGTH - 1) }
}

export function StopList({ trip, judgement, onChange }: StopsProps) {
  const { words } = usePage()
  const { stops } = trip
  return (
    <Section class="stops" title={words.say("trip.stops")}>
      <ol>
        {stops.map((_, at) => (
          <StopRow key={at} {...{ trip, at, judgement, onChange }} />
        ))}
      </ol>
      {stops.length < MOST.stops && (
        <div class="stop-add">
          <CountryPicker
            label={words.say("trip.stop_add")}
            isLabelHidden={stops.length > 0}
            placeholder={words.say("trip.stop_add")}
            codes={CODES}
            onChoose={destination => onChange([...stops, nextStop(stops, destination)])}
          />
        </div>
      )}
    </Section>
  )
}

function StopRow({ trip, at, judgement, onChange }: StopsProps & { readonly at: number }) {
  const { words } = usePage()
  const { stops, others } = trip
  const stop = stops[at]
  if (stop === undefined) return null
  const passports = others.length === 0 ? trip.passports.map(held => held.passport) : []
  const { destination, from, to, passport, by } = stop
  const replace = (change: Partial<TripStop>) =>
    onChange(stops.map((other, place) => (place === at ? { ...other, ...change } : other)))
  const swap = (other: number) => {
    const moved = [...stops]
    const [one, two] = [moved[at], moved[other]]
    if (one === undefined || two === undefined) return
    moved[at] = { ...two, from: one.from, to: one.to }
    moved[other] = { ...one, from: two.from, to: two.to }
    onChange(moved)
  }
  const issues = judgement.issues.filter(issue => issue.stop === at)
  const name = words.country(destination)
  const refusal = sayRefusal(words, stops, at)
  return (
    <li class={`card stop ${isStopBlocked(judgement, at) ? "blocked" : ""}`}>
      <h3 class="who">
        <span class="number">{words.number(at + 1)}</span> <Flag code={destination} /> {name}
      </h3>
      <DateField label={words.say("trip.from")} value={from} onChange={date => replace({ from: date })} />
      <DateField label={words.say("trip.to")} value={to} min={from} onChange={date => replace({ to: date })} />
      <Selection
        label={words.say("trip.by")}
        options={[["", words.say("trip.by_any")], ...WAYS.map(way => [way, words.say(`trip.by_${way}`)] as const)]}
        value={by ?? ""}
        onChange={way => replace({ by: way || undefined })}
      />
      <div class="stop-actions">
        <IconButton
          icon="up"
          look="close"
          label={words.say("trip.earlier", { country: name })}
          disabled={at === 0}
          onClick={() => swap(at - 1)}
        />
        <IconButton
          icon="down"
          look="close"
          label={words.say("trip.later", { country: name })}
          disabled={at === stops.length - 1}
          onClick={() => swap(at + 1)}
        />
        <RemoveButton code={destination} onRemove={() => onChange(stops.filter((_, place) => place !== at))} />
      </div>
      {passports.length > 1 && (
        <Selection
          label={words.say("word.passport")}
          options={[
            ["", words.say("trip.passport_any")],
            ...passports.map(code => [code, words.country(code)] as const),
          ]}
          value={passport ?? ""}
          onChange={chosen => replace({ passport: chosen || undefined })}
        />
      )}
      <StopFindings at={at} judgement={judgement} />
      {issues.map(({ path, message }) => (
        <p key={path} class="mistake" role="alert">
          {refusal === null ? (
            <>
              {words.say("trip.refused")} <span lang="en">{message}</span>
            </>
          ) : (
            refusal
          )}
        </p>
      ))}
    </li>
  )
}

/** Says in the page's words why the dates of a stop are refused; null where they are not, or for another reason. */
function sayRefusal(words: Words, stops: readonly TripStop[], at: number): string | null {
  const { from = "", to = "" } = stops[at] ?? {}
  if (from === "" || to === "") return null
  if (to < from) return words.say("trip.reversed")
  if (isTooFarAhead(from)) return sayTooFarAhead(words, from)
  return stops.slice(0, at).some(earlier => earlier.to > from) ? words.say("trip.overlap") : null
}

function StopFindings({ at, judgement }: { readonly at: number; readonly judgement: Judgement }) {
  const { words, linkTo } = usePage()
  const { decision } = judgement
  const step = decision?.steps.find(({ index }) => judgement.stopOf[index] === at)
  if (decision === null || step === undefined) return null
  const { maxStay, days, zoneStay, passport, passportKind, destination, from, to } = step
  const person = {
    ...NOBODY,
    passports: [passport],
    kind: readKind(passportKind),
    held: decision.held.flatMap(({ document }) => holdingOf(document) ?? []),
    expiry: decision.passports.find(given => given.passport === passport)?.passportExpiry ?? "",
  }
  const verdict = readVerdict(wholeViewOn(null), decisionOnStop(decision, decision.steps.indexOf(step)))
  const stay =
    maxStay.status === "unknown"
      ? null
      : maxStay.value === "unlimited"
        ? words.say("category.home")
        : words.say("trip.allowed", { days: { days: maxStay.value } })
  const because = listBecause(words, decision, step)
  const several = decision.passports.length > 1
  return (
    <div class="findings">
      <h4>
        <OutcomeWord verdict={verdict} />{" "}
        <a href={linkTo(addressOf({ ...NO_QUESTION, people: [person], to: destination, from, until: to ?? "" }))}>
          {sayReason(words, verdict)}
        </a>
      </h4>
      {days !== null && <span class="note">{words.days(days)}</span>}
      {stay !== null && <span class="note">{stay}</span>}
      {zoneStay?.status === "known" && (
        <span class="note">
          {words.say("trip.zone_used", {
            zone: nameZone(words, zoneStay.zone),
            used: { days: zoneStay.value },
            allowed: { days: zoneStay.allowanceDays },
          })}
        </span>
      )}
      {because.length > 0 && (
        <span class="note">{words.locale.label(words.say("map.use"), words.locale.list(because))}</span>
      )}
      {several && <span class="note">{words.locale.label(words.say("map.use"), words.country(passport))}</span>}
    </div>
  )
}

export function nameZone(words: Words, id: string): string {
  const key = `zone.${id}`
  return words.has(key) ? words.say(key) : id.toUpperCase()
}
