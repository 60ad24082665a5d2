/** A date, typed or picked; empty while it is incomplete. */
import { useEffect, useRef } from "preact/hooks"

interface DateFieldProps {
  readonly label: string
  readonly value: string
  readonly min?: string
  readonly isLabelHidden?: boolean
  /** Whether it takes the focus when it appears. */
  readonly isAsked?: boolean
  readonly onChange: (date: string) => void
}

/** The last day that the engine judges. */
const LAST = "2199-12-31"

export function DateField({ label, value, min, isLabelHidden, isAsked = false, onChange }: DateFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (isAsked) field.current?.focus()
  }, [isAsked])
  return (
    <label>
      <span class={isLabelHidden ? "unseen" : undefined}>{label}</span>
      <input
        ref={field}
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
