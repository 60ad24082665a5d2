/**
 * The kind of a passport, folded until it is opened or set. It includes classes of British nationals other than citizens, although each is
 * a separate issuer for the engine.
 */
import { BRITISH_CLASSES } from "landfall"
import { useState } from "preact/hooks"
import { Selection } from "../controls/controls.tsx"
import { usePage } from "../page-context.ts"
import { BRITISH, holderOf, isOfOtherKind, KINDS, type Kind } from "./trip.ts"

interface KindChoiceProps {
  readonly passport: string
  readonly kind: Kind
  /** Passports that are chosen already. */
  readonly taken?: readonly string[]
  readonly onChange: (passport: string, kind: Kind) => void
}

export function KindChoice({ passport, kind, taken = [], onChange }: KindChoiceProps) {
  const { words } = usePage()
  const isOfClass = BRITISH_CLASSES.includes(passport)
  const [isOpen, setOpen] = useState(false)
  const issuers =
    holderOf(passport) === BRITISH ? [BRITISH, ...BRITISH_CLASSES].filter(code => !taken.includes(code)) : []
  const classes = issuers.filter(code => code !== BRITISH)
  // A class has ordinary passports only; the kinds are those of a citizen.
  const kinds = isOfClass && !issuers.includes(BRITISH) ? [] : KINDS
  return (
    <details
      class="kind"
      open={isOpen || isOfOtherKind(passport, kind)}
      onToggle={event => setOpen(event.currentTarget.open)}
    >
      <summary>{words.say("passport.kind")}</summary>
      <div class="fields">
        <Selection<string>
          label={words.say("passport.kind")}
          isLabelHidden
          options={[
            ...kinds.map(each => [each, words.say(`passport.${each}`)] as const),
            ...classes.map(code => [code, words.country(code)] as const),
          ]}
          value={isOfClass ? passport : kind || "ordinary"}
          onChange={chosen => {
            const of = KINDS.find(each => each === chosen)
            if (of === undefined) onChange(chosen, "")
            else onChange(holderOf(passport), of === "ordinary" ? "" : of)
          }}
        />
      </div>
    </details>
  )
}
