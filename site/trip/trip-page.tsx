/**
 * A journey: which passports, which stops, and does anything known block it?
 *
 * Every change is judged at once, by the engine in the page. The trip is in the address after `#`, which no server gets; files
 * are the JSON that the command line reads.
 */
import { useMemo } from "preact/hooks"
import { isPastDay } from "../answers.ts"
import { CountryChips } from "../controls/country-chips.tsx"
import { Title } from "../controls/title.tsx"
import { usePage } from "../page-context.ts"
import { usePast } from "../past/use-past.tsx"
import { PLACES } from "../places.ts"
import { DocumentList } from "./document-list.tsx"
import { EarlierStays } from "./earlier-stays.tsx"
import { followRemedy, judgeTrip } from "./judge-trip.ts"
import { Outcome, VerdictBar } from "./outcome.tsx"
import { PassportList } from "./passport-list.tsx"
import { StopList } from "./stop-list.tsx"
import { Timeline } from "./timeline.tsx"
import { MOST, type Trip } from "./trip.ts"
import { TripFiles } from "./trip-files.tsx"
import { listZoneStays } from "./zone-days.ts"
import { ZonePicture } from "./zone-picture.tsx"

const DESTINATIONS = PLACES.map(({ code }) => code)

export function TripPage({ address }: { readonly address: { readonly trip: Trip } }) {
  const { words, go, linkTo } = usePage()
  const { trip } = address
  // Judged as it stands until the past is there.
  const past = usePast(trip.stops.some(({ from }) => from !== "" && isPastDay(from)))
  const judgement = useMemo(
    () => judgeTrip(trip, past === null || past === "failed" ? undefined : past.datasetForTrips()),
    [trip, past],
  )
  const zones = useMemo(
    () => (judgement.decision === null ? [] : listZoneStays(judgement.decision, trip.earlierStays)),
    [judgement.decision, trip.earlierStays],
  )
  const change = (part: Partial<Trip>) => go({ view: "trip", trip: { ...trip, ...part } }, { replace: true })
  return (
    <div class="trip">
      <header>
        <Title text={words.say("trip.title")} />
        <p class="lead">{words.say("trip.lead")}</p>
        <p>
          <a href={linkTo({ view: "counter" })}>{words.say("counter.title")}</a>
        </p>
        <TripFiles trip={trip} onRead={read => go({ view: "trip", trip: read })} />
      </header>
      <VerdictBar decision={judgement.decision} />
      <div class="trip-grid">
        <div class="trip-form">
          <PassportList passports={trip.passports} onChange={passports => change(withPassports(trip, passports))} />
          <StopList trip={trip} judgement={judgement} onChange={stops => change({ stops })} />
          <div class="trip-more">
            <section class="transit" aria-label={words.say("trip.transit")}>
              <h2>{words.say("trip.transit")}</h2>
              <CountryChips
                label={words.say("trip.transit")}
                prompts={[words.say("trip.transit_add"), words.say("trip.transit_add")]}
                codes={DESTINATIONS}
                chosen={trip.transit}
                most={MOST.transit}
                onChange={transit => change({ transit })}
              />
            </section>
            <DocumentList held={trip.held} onChange={held => change({ held })} />
            <section aria-label={words.say("trip.residence")}>
              <h2>{words.say("trip.residence")}</h2>
              <CountryChips
                label={words.say("trip.residence")}
                prompts={[words.say("trip.residence_add"), words.say("trip.residence_add")]}
                codes={DESTINATIONS}
                chosen={trip.residence === "" ? [] : [trip.residence]}
                most={1}
                onChange={([residence = ""]) => change(withResidence(trip, residence))}
              />
            </section>
            <EarlierStays
              stays={trip.earlierStays}
              stops={trip.stops}
              homes={listHomes(trip)}
              onChange={earlierStays => change({ earlierStays })}
            />
          </div>
        </div>
        <Outcome judgement={judgement} onRemedy={remedy => change(followRemedy(trip, remedy))} />
      </div>
      <Timeline trip={trip} judgement={judgement} onChange={stops => change({ stops })} />
      {zones.map(zone => (
        <ZonePicture key={zone.zone.id} zoneStays={zone} />
      ))}
    </div>
  )
}

/** Countries in which the traveller may live: of his residence, and of permits that he holds. */
function listHomes({ residence, held }: Trip): readonly string[] {
  return [residence, ...held.flatMap(({ kind, issuer }) => (kind === "residence_permit" ? [issuer] : []))]
}

/** Whoever lives in a country that is not his passport's has a permit of it: it is a document whose dates are asked for. */
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
  const isHeld = (code: string) => passports.some(({ passport }) => passport === code)
  return { passports, stops: stops.map(stop => (isHeld(stop.passport) ? stop : { ...stop, passport: "" })) }
}
