/** A date, typed or picked; empty while it is incomplete. */
interface DateFieldProps {
  readonly label: string
  readonly value: string
  readonly min?: string
  readonly onChange: (date: string) => void
}

/** The last day that the engine judges. */
const LAST = "2199-12-31"

export function DateField({ label, value, min, onChange }: DateFieldProps) {
  return (
    <label>
      <span>{label}</span>
      <input
        type="date"
        value={value}
        min={min}
        max={LAST}
        onInput={event => {
          const { value: typed } = event.currentTarget
          // A year that is still being typed, such as 0202, is not a date yet.
          onChange(typed > LAST || typed < "1900" ? "" : typed)
        }}
      />
    </label>
  )
}
