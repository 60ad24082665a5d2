/** Saves a trip to a file and opens one: the JSON that `landfall itinerary` reads. Files are read in the page and sent nowhere. */
import { useRef, useState } from "preact/hooks"
import { download } from "../download.ts"
import { usePage } from "../page-context.ts"
import { NO_PASSPORT, NO_STOP, NO_TRANSIT, NO_TRIP, type Trip } from "./trip.ts"
import { type ReadTrip, readTripFile, type TripMistake, writeTripFile } from "./trip-json.ts"

interface TripFilesProps {
  readonly trip: Trip
  readonly onRead: (trip: Trip) => void
}

const MOST_BYTES = 100_000
const TOO_LONG: ReadTrip = { ok: false, mistake: { message: "trip.file_no_trip", field: "" } }

/** An example trip: two months in the Schengen area, a stay outside, and a return that is too long. */
const EXAMPLE: Trip = {
  ...NO_TRIP,
  passports: [{ ...NO_PASSPORT, passport: "SGP", passportExpiry: "2027-08-01", passportIssued: "2018-05-14" }],
  stops: [
    { ...NO_STOP, destination: "ESP", from: "2027-01-10", to: "2027-02-28" },
    { ...NO_STOP, destination: "GBR", from: "2027-02-28", to: "2027-03-20" },
    { ...NO_STOP, destination: "ITA", from: "2027-03-20", to: "2027-05-10" },
    { ...NO_STOP, destination: "IND", from: "2027-05-12", to: "2027-05-30" },
  ],
  transit: [{ ...NO_TRANSIT, country: "ARE" }],
}

export function TripFiles({ trip, onRead }: TripFilesProps) {
  const { words } = usePage()
  const input = useRef<HTMLInputElement>(null)
  const [mistake, setMistake] = useState<TripMistake | null>(null)
  const isEmpty = [trip.passports, trip.stops, trip.transit, trip.held, trip.earlierStays].every(
    ({ length }) => length === 0,
  )

  const read = async (file: File) => {
    const result = file.size > MOST_BYTES ? TOO_LONG : readTripFile(await file.text())
    setMistake(result.ok ? null : result.mistake)
    if (result.ok) onRead(result.trip)
  }
  const save = () => {
    download("trip.json", "application/json", writeTripFile(trip))
  }
  return (
    <div class="trip-files">
      <button type="button" class="button" onClick={() => input.current?.click()}>
        {words.say("trip.file_open")}
      </button>
      <label class="unseen">
        {words.say("trip.file_open")}
        <input
          ref={input}
          type="file"
          accept="application/json,.json"
          tabIndex={-1}
          onChange={event => {
            const [file] = event.currentTarget.files ?? []
            if (file !== undefined) void read(file)
            event.currentTarget.value = ""
          }}
        />
      </label>
      <button type="button" class="button" disabled={isEmpty} onClick={save}>
        {words.say("trip.file_save")}
      </button>
      {isEmpty ? (
        <button type="button" class="button main" onClick={() => onRead(EXAMPLE)}>
          {words.say("trip.example")}
        </button>
      ) : (
        <button type="button" class="button" onClick={() => onRead(NO_TRIP)}>
          {words.say("trip.clear")}
        </button>
      )}
      {mistake !== null && (
        <p class="mistake" role="alert">
          {words.say(mistake.message, { field: mistake.field })}
        </p>
      )}
    </div>
  )
}
