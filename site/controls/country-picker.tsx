/**
 * A field to choose a country in: type its name, its people, a city, an airport, a code or a flag, move through the list with the arrow keys, choose with Enter. Enter before the search is
 * loaded chooses its result when it is, in the order in which several fields were filled in.
 *
 * It follows the combobox pattern of the ARIA Authoring Practices Guide (list autocomplete, manual selection).
 */

import type { TargetedKeyboardEvent } from "preact"
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks"
import { usePage } from "../page-context.ts"
import { Flag, IconButton } from "./controls.tsx"
import { listAll, loadSearch, useSearch } from "./search.ts"

interface CountryPickerProps {
  readonly label: string
  readonly codes: readonly string[]
  /** The chosen country; when absent, the field is emptied after a choice. */
  readonly value?: string
  readonly isLabelHidden?: boolean
  readonly placeholder?: string
  readonly onChoose: (code: string) => void
}

const MOST_SHOWN = 60

/** Choices that wait for the search: each is made after the view has been drawn with the one before it. */
let waiting: Promise<unknown> = Promise.resolve()

export function CountryPicker({ label, codes, value, isLabelHidden, placeholder, onChoose }: CountryPickerProps) {
  const { words } = usePage()
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState<string | null>(null)
  const [place, setPlace] = useState(0)
  const isOpen = text !== null
  const [isWanted, setWanted] = useState(false)
  const [isEntered, setEntered] = useState(false)
  const search = useSearch(words, isWanted)
  const isWaiting = isOpen && text !== "" && search === null
  /** How the field was drawn last; null when it is gone. */
  const drawn = useRef<Pick<CountryPickerProps, "codes" | "onChoose"> & { readonly entered: string | null }>(null)
  drawn.current = { codes, onChoose, entered: isEntered ? text : null }
  const hasSearch = search !== null
  // Names are sorted only for a search, because it would delay the first view.
  const found = useMemo(() => {
    if (text === null || isWaiting) return []
    return (text === "" || search === null ? listAll(words, codes) : search(text, codes)).slice(0, MOST_SHOWN)
  }, [words, codes, text, hasSearch, isWaiting])
  const active = found[place]
  const written = value === undefined ? "" : words.country(value)

  useEffect(() => {
    if (active !== undefined) document.getElementById(`${id}-${active.code}`)?.scrollIntoView({ block: "nearest" })
  }, [active, id])

  useEffect(
    () => () => {
      drawn.current = null
    },
    [],
  )

  const open = (sought: string) => {
    setWanted(true)
    setEntered(false)
    setText(sought)
    setPlace(0)
  }
  const take = (code: string) => {
    setText(null)
    onChoose(code)
  }
  const enter = async (entered: string, earlier: Promise<unknown>) => {
    await earlier
    const find = await loadSearch(words)
    if (drawn.current?.entered !== entered) return
    setEntered(false)
    const [first] = find(entered, drawn.current.codes)
    if (first !== undefined || document.activeElement !== input.current) setText(null)
    if (first !== undefined) drawn.current.onChoose(first.code)
  }
  const press = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!isOpen) open("")
      else setPlace((place + (event.key === "ArrowDown" ? 1 : found.length - 1)) % Math.max(1, found.length))
    } else if (event.key === "Enter" && isWaiting) {
      setEntered(true)
      if (!isEntered) waiting = enter(text, waiting)
    } else if (event.key === "Enter" && isOpen) {
      // Where nothing is found, nothing is chosen, and no form is sent.
      if (active !== undefined) take(active.code)
    } else if (event.key === "Escape" && isOpen) setText(null)
    else return
    event.preventDefault()
  }
  return (
    <div class="picker">
      <label for={id} class={isLabelHidden ? "unseen" : undefined}>
        {label}
      </label>
      <input
        id={id}
        ref={input}
        type="text"
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-activedescendant={active === undefined ? undefined : `${id}-${active.code}`}
        placeholder={placeholder}
        value={text ?? written}
        onInput={event => open(event.currentTarget.value)}
        onClick={() => {
          if (!isOpen) open("")
          input.current?.select()
        }}
        onFocus={() => setWanted(true)}
        onKeyDown={press}
        onBlur={() => {
          // Text that was entered before the search was loaded is still used.
          if (!isEntered) setText(null)
        }}
      />
      <div id={`${id}-list`} role="listbox" aria-label={label} class="picker-list" hidden={!isOpen}>
        {found.map(({ code, name, via }, at) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus, and names the active option
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys
          <div
            key={code}
            id={`${id}-${code}`}
            role="option"
            aria-selected={at === place}
            onPointerDown={event => event.preventDefault()}
            onClick={() => take(code)}
          >
            <Flag code={code} />
            <span>{name}</span>
            {via !== undefined && <span class="via">{via}</span>}
            <span class="code">{code}</span>
          </div>
        ))}
        {isOpen && found.length === 0 && (
          // biome-ignore lint/a11y/useFocusableInteractive: it says that there is nothing to choose
          <div role="option" aria-selected="false" aria-disabled="true" class="nothing">
            {words.say(isWaiting ? "view.loading" : "picker.nothing")}
          </div>
        )}
      </div>
    </div>
  )
}

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

/** The chosen countries, each with a button that removes it, and a field that adds one. */
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
              <IconButton
                icon="close"
                label={words.say("picker.remove", { country: { country: code } })}
                onClick={() => onChange(chosen.filter(other => other !== code))}
              />
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
