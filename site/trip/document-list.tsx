/** The visas and residence permits that the traveller holds: other countries may ask for less because of them. */
import type { HeldDocument } from "landfall"
import { listDocumentClasses } from "landfall/full"
import type { ComponentChildren } from "preact"
import { useId } from "preact/hooks"
import { CountryPicker } from "../controls/country-picker.tsx"
import { DateField } from "../controls/date-field.tsx"
import { Flag } from "../controls/flag.tsx"
import { RemoveButton } from "../controls/remove-button.tsx"
import { Selection } from "../controls/selection.tsx"
import { usePage } from "../page-context.ts"
import { PLACES } from "../places.ts"
import { wholeDataset } from "../whole-dataset.ts"
import { nameHeldKind } from "./sentences.ts"
import { HELD_KINDS, MOST } from "./trip.ts"

interface DocumentListProps {
  readonly held: readonly HeldDocument[]
  /** Who issued the document whose last day is asked for next. */
  readonly asked: string | null
  readonly onAsk: (issuer: string) => void
  readonly onChange: (held: readonly HeldDocument[]) => void
}

const ISSUERS = PLACES.map(({ code }) => code)

export function DocumentList({ held, asked, onAsk, onChange }: DocumentListProps) {
  const { words } = usePage()
  return (
    <section class="documents" aria-label={words.say("trip.held")}>
      <h2>{words.say("trip.held")}</h2>
      <ul>
        {held.map((document, at) => (
          <DocumentCard
            key={at}
            document={document}
            isAsked={document.issuer === asked}
            onChange={changed => onChange(held.map((other, place) => (place === at ? changed : other)))}
            onRemove={() => onChange(held.filter((_, place) => place !== at))}
          />
        ))}
      </ul>
      {held.length < MOST.held && (
        <CountryPicker
          label={words.say("trip.held_add")}
          isLabelHidden
          placeholder={words.say("trip.held_add")}
          codes={ISSUERS}
          onChoose={issuer => {
            onAsk(issuer)
            onChange([...held, { kind: "visa", issuer }])
          }}
        />
      )}
    </section>
  )
}

interface DocumentCardProps {
  readonly document: HeldDocument
  readonly isAsked: boolean
  readonly onChange: (document: HeldDocument) => void
  readonly onRemove: () => void
}

function DocumentCard({ document, isAsked, onChange, onRemove }: DocumentCardProps) {
  const { words } = usePage()
  const { kind, issuer, type, validFrom, validUntil } = document
  const classes = listDocumentClasses(wholeDataset(), kind, issuer)
  const listId = useId()
  const change = (fields: Partial<HeldDocument>) => onChange({ ...document, ...fields })
  return (
    <li class="card document">
      <p class="who">
        <Flag code={issuer} /> {words.country(issuer)}
      </p>
      <Selection<HeldDocument["kind"]>
        label={words.say("trip.kind")}
        options={HELD_KINDS.map(each => [each, nameHeldKind(words, each)] as const)}
        value={kind}
        onChange={chosen => change({ kind: chosen, permanent: undefined })}
      />
      <DateField
        label={words.say("trip.expiry")}
        value={validUntil ?? ""}
        isAsked={isAsked}
        onChange={date => change({ validUntil: date === "" ? undefined : date })}
      />
      <RemoveButton code={issuer} onRemove={onRemove} />
      {validUntil === undefined && document.permanent !== true && (
        <p class="note asked">{words.say("trip.ask_until")}</p>
      )}
      <details>
        <summary>{words.say("trip.further")}</summary>
        <div class="fields">
          <DateField
            label={words.say("trip.valid_from")}
            value={validFrom ?? ""}
            onChange={date => change({ validFrom: date === "" ? undefined : date })}
          />
          <label>
            <span>{words.say("trip.type")}</span>
            <input
              type="text"
              list={listId}
              maxLength={MOST.typeLetters}
              value={type ?? ""}
              onInput={event => {
                const text = event.currentTarget.value
                change({ type: text.trim() === "" ? undefined : text })
              }}
            />
          </label>
          <datalist id={listId}>
            {classes
              .flatMap(({ types }) => types)
              .map(each => (
                <option key={each} value={each} />
              ))}
          </datalist>
          <Entries document={document} onChange={change} />
          <Count
            label={words.say("trip.stay_days")}
            value={document.durationOfStayDays}
            onChange={durationOfStayDays => change({ durationOfStayDays })}
          />
          <Flags
            document={document}
            // A class of a known form says itself whether it is electronic.
            isFormKnown={classes.length > 0 && classes.every(({ form }) => form !== null)}
            onChange={change}
          />
        </div>
      </details>
    </li>
  )
}

interface DocumentFieldProps {
  readonly document: HeldDocument
  readonly onChange: (fields: Partial<HeldDocument>) => void
}

function Entries({ document, onChange }: DocumentFieldProps): ComponentChildren {
  const { words } = usePage()
  const { entries } = document
  const counts = [1, 2, ...(typeof entries === "number" && entries > 2 ? [entries] : [])]
  return (
    <Selection
      label={words.say("trip.entries")}
      options={[
        ["", words.say("trip.not_given")],
        ...counts.map(count => [String(count), words.number(count)] as const),
        ["multiple", words.say("held.multiple_entry")],
      ]}
      value={entries === undefined ? "" : String(entries)}
      onChange={chosen =>
        onChange({ entries: chosen === "" ? undefined : chosen === "multiple" ? chosen : Number(chosen) })
      }
    />
  )
}

function Flags({
  document,
  isFormKnown,
  onChange,
}: DocumentFieldProps & { readonly isFormKnown: boolean }): ComponentChildren {
  const { words } = usePage()
  const flags = [
    ["used", "held.used_before"],
    ...(isFormKnown ? [] : ([["electronic", "trip.electronic"]] as const)),
    ...(document.kind === "residence_permit" ? ([["permanent", "held.permanent"]] as const) : []),
  ] as const
  return flags.map(([name, label]) => (
    <Selection
      key={name}
      label={words.say(label)}
      options={[
        ["", words.say("trip.not_given")],
        ["yes", words.say("label.yes")],
        ["no", words.say("label.no")],
      ]}
      value={document[name] === undefined ? "" : document[name] ? "yes" : "no"}
      onChange={chosen => onChange({ [name]: chosen === "" ? undefined : chosen === "yes" })}
    />
  ))
}

interface CountProps {
  readonly label: string
  readonly value: number | undefined
  readonly onChange: (value: number | undefined) => void
}

function Count({ label, value, onChange }: CountProps) {
  return (
    <label>
      <span>{label}</span>
      <input
        type="number"
        inputMode="numeric"
        min={1}
        max={MOST.count}
        step={1}
        value={value ?? ""}
        onInput={event => {
          const typed = event.currentTarget.valueAsNumber
          onChange(Number.isInteger(typed) && typed >= 1 && typed <= MOST.count ? typed : undefined)
        }}
      />
    </label>
  )
}
