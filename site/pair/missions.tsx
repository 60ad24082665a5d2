/**
 * Where can the visa be applied for, and which missions help a traveller there?
 *
 * The destination's missions in the country of the passport or in a chosen one; then those of the traveller's own country in the destination.
 * Nothing newer than the table's day is known.
 */
import type { Locale, MissionFact } from "landfall/full"
import { CountryPicker } from "../controls/country-picker.tsx"
import { lineOnPaper, PRINTED_LINES } from "../left-out.tsx"
import { usePage } from "../page-context.ts"
import type { OpenedRecord } from "./record.ts"

interface MissionsProps {
  readonly opened: OpenedRecord
  /** The country whose missions are listed; null where none is chosen. */
  readonly host: string | null
  readonly onChoose: (code: string) => void
}

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
          <p class="note">
            {words.say("pair.missions_count", { countries: hosts.size })} {asOf}
          </p>
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
