/**
 * Where can the visa be applied for, and who helps a traveller there?
 *
 * A map of the countries in which the destination has a mission, for readers who live outside their passport's country, with the
 * missions of the chosen one; then the missions of the traveller's own country in the destination. Nothing newer than the table's
 * day is known.
 */

import type { FullRecord, Locale, MissionFact, MissionIndex } from "landfall/full"
import { useMemo, useState } from "preact/hooks"
import { CountryPicker } from "../controls/country-picker.tsx"
import { StillMap } from "../map/still-map.tsx"
import { usePage } from "../page-context.ts"
import { PLACES } from "../places.ts"
import { listHosts } from "./record.ts"

interface MissionsProps {
  readonly record: FullRecord
  readonly locale: Locale
  readonly missions: MissionIndex
}

const CODES = PLACES.map(({ code }) => code)

export function Missions({ record, locale, missions }: MissionsProps) {
  const { words } = usePage()
  const { passport, destination } = record
  const hosts = useMemo(() => listHosts(missions, destination, CODES), [missions, destination])
  const [chosen, setChosen] = useState<string | null>(null)
  const host = chosen !== null && hosts.has(chosen) ? chosen : hosts.has(passport) ? passport : null
  const own = missions.listMissions(passport, destination)
  if (hosts.size === 0 && own.length === 0) return null
  const asOf = words.say("pair.missions_as_of", { date: { on: missions.asOf } })
  return (
    <section class="missions" aria-label={words.say("pair.missions")}>
      <h2>{words.say("pair.missions")}</h2>
      {hosts.size > 0 && (
        <div class="mission-grid">
          <figure>
            <StillMap
              classOf={code => (code === host ? "mission here" : hosts.has(code) ? "mission" : "land")}
              hasDot={code => hosts.has(code)}
              onChoose={code => hosts.has(code) && setChosen(code)}
            />
            <figcaption class="note">
              {words.say("pair.missions_count", { countries: hosts.size })} {asOf}
            </figcaption>
          </figure>
          <div>
            <CountryPicker
              label={words.say("pair.missions_in")}
              codes={[...hosts.keys()]}
              {...(host === null ? {} : { value: host })}
              onChoose={setChosen}
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

function MissionList({ missions, locale }: { readonly missions: readonly MissionFact[]; readonly locale: Locale }) {
  return (
    <ul class="mission-list">
      {missions.map(({ kind, city, website, phone }, at) => (
        <li key={`${kind} ${city} ${at}`}>
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
