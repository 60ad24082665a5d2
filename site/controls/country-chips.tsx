/** The chosen countries, each with a button that removes it, and a field that adds one. */
import { useMemo } from "preact/hooks"
import { usePage } from "../page-context.ts"
import { CountryPicker } from "./country-picker.tsx"
import { Flag } from "./flag.tsx"
import { Icon } from "./icon.tsx"

interface CountryChipsProps {
  readonly label: string
  /** The placeholder of the field before the first choice, and after it. */
  readonly prompts: readonly [first: string, further: string]
  readonly codes: readonly string[]
  readonly chosen: readonly string[]
  readonly most: number
  readonly isLabelShown?: boolean
  readonly onChange: (chosen: readonly string[]) => void
}

export function CountryChips({
  label,
  prompts,
  codes,
  chosen,
  most,
  isLabelShown = false,
  onChange,
}: CountryChipsProps) {
  const { words } = usePage()
  const left = useMemo(() => codes.filter(code => !chosen.includes(code)), [codes, chosen])
  return (
    <fieldset class="chips">
      <legend class="unseen">{label}</legend>
      {chosen.length > 0 && (
        <ul>
          {chosen.map(code => (
            <li key={code} class="chip">
              <Flag code={code} />
              <span>{words.country(code)}</span>
              <button
                type="button"
                aria-label={words.say("picker.remove", { country: { country: code } })}
                onClick={() => onChange(chosen.filter(other => other !== code))}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {chosen.length < most && (
        <CountryPicker
          label={label}
          isLabelHidden={!isLabelShown}
          placeholder={prompts[chosen.length === 0 ? 0 : 1]}
          codes={left}
          onChoose={code => onChange([...chosen, code])}
        />
      )}
    </fieldset>
  )
}
