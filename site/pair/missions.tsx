/**
 * Where can the visa be applied for, and which missions help a traveller there?
 *
 * A map of the countries in which the destination has a mission, for readers who live outside their passport's country, with the missions
 * of the chosen one; then the missions of the traveller's own country in the destination. Nothing newer than the table's day is known.
 */

import type { Locale, MissionFact } from "landfall/full"
import { useEffect, useRef, useState } from "preact/hooks"
import { CountryPicker } from "../controls/country-picker.tsx"
import { laterPart, useLaterPart } from "../later-part.ts"
import { lineOnPaper, PRINTED_LINES } from "../left-out.tsx"
import { usePage } from "../page-context.ts"
import { MAP_HEIGHT, MAP_WIDTH } from "../places.ts"
import type { OpenedRecord } from "./record.ts"

interface MissionsProps {
  readonly opened: OpenedRecord
  /** The country whose missions are listed; null where none is chosen. */
  readonly host: string | null
  readonly onChoose: (code: string) => void
}

const STILL_MAP = laterPart(async () => (await import("../map/still-map.tsx")).StillMap)

/** The country whose missions are listed: the chosen one, or that of the passport. */
export const hostOf = ({ hosts }: OpenedRecord, passport: string, chosen: string | null): string | null =>
  chosen !== null && hosts.has(chosen) ? chosen : hosts.has(passport) ? passport : null

export function Missions({ opened, host, onChoose }: MissionsProps) {
  const { locale, missionsAsOf, hosts, own } = opened
  const { words } = usePage()
  if (hosts.size === 0 && own.length === 0) return null
  const asOf = words.say("pair.missions_as_of", { date: { on: missionsAsOf } })
  return (
    <section class="missions" aria-label={words.say("pair.missions")}>
      <h2>{words.say("pair.missions")}</h2>
      {hosts.size > 0 && (
        <div class="mission-grid">
          <figure>
            <MissionMap hosts={hosts} host={host} onChoose={onChoose} />
            <figcaption class="note">
              {words.say("pair.missions_count", { countries: hosts.size })} {asOf}
            </figcaption>
          </figure>
          <div>
            <CountryPicker
              label={words.say("pair.missions_in")}
              codes={[...hosts.keys()]}
              {...(host === null ? {} : { value: host })}
              onChoose={onChoose}
            />
            {host === null ? (
              <p class="note">{words.say("pair.missions_none_here")}</p>
            ) : (
              <MissionList missions={hosts.get(host) ?? []} locale={locale} />
            )}
          </div>
        </div>
      )}
      {own.length > 0 && (
        <>
          <h3>{locale.say({ key: "label.embassy_there" })}</h3>
          <MissionList missions={own} locale={locale} />
        </>
      )}
    </section>
  )
}

interface MissionMapProps {
  readonly hosts: OpenedRecord["hosts"]
  readonly host: string | null
  readonly onChoose: (code: string) => void
}

/** The map of missions, loaded when the reader comes near it; its room is kept free until then. */
function MissionMap({ hosts, host, onChoose }: MissionMapProps) {
  const place = useRef<HTMLDivElement>(null)
  const [isNear, setNear] = useState(false)
  const Loaded = useLaterPart(STILL_MAP, isNear)
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const observer = new IntersectionObserver(
      entries => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true)
      },
      { rootMargin: "200px" },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={place} style={{ aspectRatio: `${MAP_WIDTH} / ${MAP_HEIGHT}` }}>
      {Loaded !== null && Loaded !== "failed" && (
        <Loaded
          classOf={code => (code === host ? "mission here" : hosts.has(code) ? "mission" : "land")}
          hasDot={code => hosts.has(code)}
          onChoose={code => hosts.has(code) && onChoose(code)}
        />
      )}
    </div>
  )
}

function MissionList({ missions, locale }: { readonly missions: readonly MissionFact[]; readonly locale: Locale }) {
  return (
    <ul class="mission-list">
      {missions.map(({ kind, city, website, phone }, at) => (
        <li key={`${kind} ${city} ${at}`} class={lineOnPaper(at, PRINTED_LINES.missions)}>
          <strong>{locale.say({ key: `mission.${kind}` })}</strong>
          {city !== null && <bdi>{city}</bdi>}
          {website !== null && /^https?:\/\//.test(website) && (
            <a href={website} rel="noopener noreferrer external" dir="ltr">
              {website.replace(/^https?:\/\/(www\.)?/, "").replace(/\/$/, "")}
            </a>
          )}
          {phone !== null && (
            <a href={`tel:${phone.replace(/[^+\d]/g, "")}`} dir="ltr">
              {phone}
            </a>
          )}
        </li>
      ))}
    </ul>
  )
}
