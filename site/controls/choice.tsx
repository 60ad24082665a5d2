/** A choice of one among a few: radio buttons side by side. */
import { useId } from "preact/hooks"

interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly options: readonly (readonly [value: Value, label: string])[]
  readonly value: Value
  readonly onChange: (value: Value) => void
}

export function Choice<Value extends string>({ label, options, value, onChange }: ChoiceProps<Value>) {
  const name = useId()
  return (
    <fieldset class="choice">
      <legend class="unseen">{label}</legend>
      {options.map(([option, text]) => (
        <label key={option}>
          <input type="radio" name={name} checked={option === value} onChange={() => onChange(option)} />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  )
}
