/** A choice of one among a few: radio buttons side by side. */
import { useId } from "preact/hooks"

interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly options: readonly (readonly [value: Value, label: string])[]
  /** Null while nothing is chosen: the question is shown then. */
  readonly value: Value | null
  readonly onChange: (value: Value) => void
}

export function Choice<Value extends string>({ label, options, value, onChange }: ChoiceProps<Value>) {
  const name = useId()
  return (
    <fieldset class="choice">
      <legend class={value === null ? undefined : "unseen"}>{label}</legend>
      {options.map(([option, text]) => (
        <label key={option}>
          <input type="radio" name={name} checked={option === value} onChange={() => onChange(option)} />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  )
}
