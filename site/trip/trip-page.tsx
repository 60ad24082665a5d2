/**
 * A journey: which passports, which stops, and does anything known block it?
 *
 * Every change is judged at once, by the engine in the page. The trip is in the address after `#`, which no server gets; files
 * are the JSON that the command line reads.
 */

import { useMemo, useState } from "preact/hooks"
import { dateOf, dayOf, isPastDay, readToday } from "../answers.ts"
import { PURPOSES } from "../ask/question.ts"
import type { PageKey } from "../build/page-messages.ts"
import { Button, Section, Selection, Title } from "../controls/controls.tsx"
import { CountryChips } from "../controls/country-picker.tsx"
import { download } from "../download.ts"
import { nextTask } from "../later-part.ts"
import { usePage } from "../page-context.ts"
import { usePast } from "../past/use-past.tsx"
import { CODES } from "../places.ts"
import { wholeDataset, wholeViewOn } from "../whole-dataset.ts"
import { followRemedy, type Judgement, judgeTrip } from "./judge-trip.ts"
import { findWorst, Outcome, VerdictBar } from "./outcome.tsx"
import { Sheets } from "./sheets.tsx"
import { StopList } from "./stop-list.tsx"
import { addTraveller, changeTrip, listTravellers, NO_TRIP, removeTraveller, type Trip, tripOf } from "./trip.ts"
import { DocumentList, EarlierStays, PassportList, TransitList, Travellers } from "./trip-form.tsx"
import { type ReadTrip, readTripFile, type TripMistake, writeTripFile } from "./trip-json.ts"
import { listZoneStays, ZoneCounts, ZonePicture } from "./zones.tsx"

/** Opens the rules and judges for the first time in tasks of their own, before the view is drawn. */
export async function openTrip(trip: Trip): Promise<void> {
  wholeDataset()
  await nextTask()
  wholeViewOn(null)
  judgeTrip(trip)
  await nextTask()
}

export function TripPage({ address }: { readonly address: { readonly trip: Trip } }) {
  const { words, go } = usePage()
  const { trip } = address
  // Judged without the past until it is loaded.
  const past = usePast(trip.stops.some(({ from }) => from !== "" && isPastDay(from)))
  const dataset = useMemo(() => (past === null || past === "failed" ? undefined : past.datasetForTrips()), [past])
  const judgements = useMemo(
    () => listTravellers(trip).map((_, each) => judgeTrip(tripOf(trip, each), dataset)),
    [trip, dataset],
  )
  const [chosen, setChosen] = useState(0)
  const [asked, setAsked] = useState<string | null>(null)
  const at = Math.min(chosen, judgements.length - 1)
  const own = tripOf(trip, at)
  const judgement = judgements[at] as Judgement
  const zones = useMemo(
    () => (judgement.decision === null ? [] : listZoneStays(judgement.decision, own.earlierStays)),
    [judgement.decision, own.earlierStays],
  )
  const change = (part: Partial<Trip>) => go({ view: "trip", trip: changeTrip(trip, at, part) }, { replace: true })
  const choose = (traveller: number) => {
    setAsked(null)
    setChosen(traveller)
  }
  const show = (changed: Trip, traveller: number) => {
    choose(traveller)
    go({ view: "trip", trip: changed }, { replace: true })
  }
  return (
    <div class="trip">
      <header>
        <Title text={words.say("trip.title")} />
        <p class="lead">{words.say("trip.lead")}</p>
        <TripFiles trip={trip} onRead={read => go({ view: "trip", trip: read })} />
      </header>
      <VerdictBar decision={findWorst(judgements.map(({ decision }) => decision))} />
      <div class="trip-grid">
        <div class="trip-form">
          <Travellers
            {...{ trip, judgements }}
            chosen={at}
            onChoose={choose}
            onAdd={() => show(addTraveller(trip), judgements.length)}
            onRemove={removed => show(removeTraveller(trip, removed), 0)}
          />
          <PassportList key={at} list={own.passports} onChange={passports => change(withPassports(own, passports))} />
          <StopList trip={trip} judgement={judgement} onChange={stops => change({ stops })} />
          <div class="trip-more">
            <TransitList list={trip.transit} onChange={transit => change({ transit })} />
            <DocumentList
              key={at}
              {...{ list: own.held, asked }}
              onAsk={setAsked}
              onChange={held => change({ held })}
            />
            <Section title={words.say("trip.residence")}>
              <CountryChips
                label={words.say("trip.residence")}
                prompts={[words.say("trip.residence_add"), words.say("trip.residence_add")]}
                codes={CODES}
                chosen={own.residence === "" ? [] : [own.residence]}
                most={1}
                onChange={([residence = ""]) => {
                  setAsked(residence)
                  change(withResidence(own, residence))
                }}
              />
            </Section>
            <Selection
              label={words.say("trip.purpose")}
              options={purposesOf(trip.purpose).map(
                each => [each, words.has(`purpose.${each}`) ? words.say(`purpose.${each}` as PageKey) : each] as const,
              )}
              value={trip.purpose || PURPOSES[0]}
              onChange={purpose => change({ purpose })}
            />
            <EarlierStays
              list={own.earlierStays}
              stops={trip.stops}
              homes={listHomes(own)}
              onChange={earlierStays => change({ earlierStays })}
            />
          </div>
        </div>
        <div class="trip-side">
          <ZoneCounts trip={own} />
          <Outcome
            judgement={judgement}
            onRemedy={remedy => change(followRemedy(own, remedy))}
            tryRemedy={remedy => judgeTrip({ ...own, ...followRemedy(own, remedy) }, dataset)}
          />
        </div>
      </div>
      {zones.map(zone => (
        <ZonePicture key={zone.zone.id} zoneStays={zone} />
      ))}
      <Sheets {...{ trip, judgements }} />
    </div>
  )
}

/** The purposes that are offered, and another one that a file or an address names. */
const purposesOf = (given: string): readonly string[] =>
  given === "" || PURPOSES.some(each => each === given) ? PURPOSES : [...PURPOSES, given]

/** Countries in which the traveller may live: of his residence, and of permits that he holds. */
function listHomes({ residence, held }: Trip): readonly string[] {
  return [residence, ...held.flatMap(({ kind, issuer }) => (kind === "residence_permit" ? [issuer] : []))]
}

/** A resident of a country that is not his passport's has a permit of it: a document whose dates the page asks for. */
function withResidence({ held, passports, residence: before }: Trip, residence: string): Partial<Trip> {
  const others = held.filter(
    ({ kind, issuer, validUntil }) => kind !== "residence_permit" || issuer !== before || validUntil !== undefined,
  )
  const isKnown = others.some(({ kind, issuer }) => kind === "residence_permit" && issuer === residence)
  const isCitizen = passports.some(({ passport }) => passport === residence)
  if (residence === "" || isKnown || isCitizen) return { residence, held: others }
  return { residence, held: [...others, { kind: "residence_permit", issuer: residence }] }
}

/** Removing a passport also removes the choice to use it at stops. */
function withPassports({ stops }: Trip, passports: Trip["passports"]): Partial<Trip> {
  return {
    passports,
    stops: stops.map(stop => ({
      ...stop,
      passport: passports.some(held => held.passport === stop.passport) ? stop.passport : undefined,
    })),
  }
}

interface TripFilesProps {
  readonly trip: Trip
  readonly onRead: (trip: Trip) => void
}

const MOST_BYTES = 100_000
const TOO_LONG: ReadTrip = { ok: false, mistake: { message: "trip.file_no_trip", field: "" } }

/** An example trip, in two months: two months in the Schengen area, a stay outside, and a return that is too long. */
function makeExample(): Trip {
  const after = (days: number) => dateOf(dayOf(readToday()) + 60 + days)
  return {
    ...NO_TRIP,
    passports: [{ passport: "SGP", passportExpiry: after(203), passportIssued: after(-3163) }],
    stops: [
      { destination: "ESP", from: after(0), to: after(49) },
      { destination: "GBR", from: after(49), to: after(69) },
      { destination: "ITA", from: after(69), to: after(120) },
      { destination: "IND", from: after(122), to: after(140) },
    ],
    transit: [{ country: "ARE" }],
  }
}

/** Saves a trip to a file and opens one: the JSON that `landfall itinerary` reads. Files are read in the page and sent nowhere. */
function TripFiles({ trip, onRead }: TripFilesProps) {
  const { words } = usePage()
  const [mistake, setMistake] = useState<TripMistake | null>(null)
  const isEmpty = [trip.passports, trip.stops, trip.transit, trip.held, trip.earlierStays].every(
    ({ length }) => length === 0,
  )

  const read = async (file: File) => {
    const result = file.size > MOST_BYTES ? TOO_LONG : readTripFile(await file.text())
    setMistake(result.ok ? null : result.mistake)
    if (result.ok) onRead(result.trip)
  }
  const save = () => download("trip.json", "application/json", writeTripFile(trip))
  return (
    <div class="trip-files">
      <label class="button">
        {words.say("trip.file_open")}
        <input
          class="unseen"
          type="file"
          accept="application/json,.json"
          onChange={event => {
            const [file] = event.currentTarget.files ?? []
            if (file !== undefined) void read(file)
            event.currentTarget.value = ""
          }}
        />
      </label>
      <Button label={words.say("trip.file_save")} disabled={isEmpty} onClick={save} />
      {isEmpty ? (
        <Button look="button main" label={words.say("trip.example")} onClick={() => onRead(makeExample())} />
      ) : (
        <Button label={words.say("trip.clear")} onClick={() => onRead(NO_TRIP)} />
      )}
      {mistake !== null && (
        <p class="mistake" role="alert">
          {words.say(mistake.message, { field: mistake.field })}
        </p>
      )}
    </div>
  )
}
