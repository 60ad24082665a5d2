/** A drop-down list with its label. */
interface SelectionProps<Value extends string> {
  readonly label: string
  readonly options: readonly (readonly [value: Value, label: string])[]
  readonly value: Value
  readonly isLabelHidden?: boolean
  readonly onChange: (value: Value) => void
}

export function Selection<Value extends string>({
  label,
  options,
  value,
  isLabelHidden,
  onChange,
}: SelectionProps<Value>) {
  return (
    <label>
      <span class={isLabelHidden ? "unseen" : undefined}>{label}</span>
      <select
        value={value}
        onChange={event => {
          const chosen = options.find(([option]) => option === event.currentTarget.value)
          if (chosen !== undefined) onChange(chosen[0])
        }}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}
