/** The small parts that views share: icons, flags, the title of a view, buttons, and fields with their labels. */

import { type ComponentChildren, type ComponentType, isValidElement } from "preact"
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks"
import { type LaterPart, useLaterPart } from "../later-part.ts"
import { usePage } from "../page-context.ts"
import { flagOf } from "../places.ts"

const PATHS = {
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  whole: "M6 2H2v4M10 2h4v4M6 14H2v-4M10 14h4v-4",
  close: "M4 4l8 8M12 4l-8 8",
  check: "M3 8.5l3.5 3.5L13 4.5",
  document: "M4 1.5h5.5L12.5 4.5v10h-8.5zM6 7h4.5M6 10h4.5",
  question: "M5.5 5.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.7M8 12.4v.6",
  ahead: "M2 8h12M9 3l5 5-5 5",
  up: "M8 13V3M3.5 7.5L8 3l4.5 4.5",
  down: "M8 3v10M3.5 8.5L8 13l4.5-4.5",
  system: "M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12",
  light: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
  dark: "M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z",
} as const

type IconName = keyof typeof PATHS

/** The few icons of the page, drawn, so that no font is needed for them. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class={`icon icon-${name}`} width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
      <path
        d={PATHS[name]}
        fill={name === "system" ? "currentColor" : "none"}
        fill-opacity={name === "system" ? 0.5 : 1}
      />
    </svg>
  )
}

let canDraw: boolean | null = null

/** Finds out, once, by drawing one: letters have one colour, a flag has several. */
function drawsFlags(): boolean {
  if (canDraw !== null) return canDraw
  const canvas = document.createElement("canvas")
  canvas.width = canvas.height = 16
  const context = canvas.getContext("2d", { willReadFrequently: true })
  canDraw = false
  if (context === null) return canDraw
  context.font = "16px sans-serif"
  context.fillText(flagOf("FRA"), 0, 14)
  const { data } = context.getImageData(0, 0, 16, 16)
  for (let at = 0; at < data.length; at += 4) {
    if (data[at] !== data[at + 1] || data[at] !== data[at + 2]) canDraw = true
  }
  return canDraw
}

/** The flag of a country, where the reader's system draws flags; elsewhere nothing, because two plain letters are not a flag. */
export function Flag({ code }: { readonly code: string }) {
  return drawsFlags() ? (
    <span class="flag" aria-hidden="true">
      {flagOf(code)}
    </span>
  ) : null
}

let isFirst = true

/**
 * The heading of a view: names it in the browser's title too, and takes the focus when the reader came from another view. It takes it while
 * the view is drawn: a moment later the reader may already be writing in a field, and would lose what he wrote.
 */
export function Title({ text, children }: { readonly text: string; readonly children?: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    if (!isFirst) {
      window.scrollTo({ top: 0 })
      heading.current?.focus({ preventScroll: true })
    }
    isFirst = false
  }, [])
  useEffect(() => {
    document.title = `${text} · Landfall`
  }, [text])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children ?? text}
    </h1>
  )
}

/** Says that a part of the page is loading, or that it could not be loaded. */
export function Arriving({ hasFailed = false }: { readonly hasFailed?: boolean }) {
  const { words } = usePage()
  return (
    <p class="note" role="status">
      {words.say(hasFailed ? "view.not_loaded" : "view.loading")}
    </p>
  )
}

/** A component that is loaded when it is first shown. */
export function Later<Props extends object>({
  part,
  ...props
}: Props & { readonly part: LaterPart<ComponentType<Props>> }) {
  const Loaded = useLaterPart(part) as ComponentType<object> | "failed" | null
  return Loaded === null || Loaded === "failed" ? <Arriving hasFailed={Loaded === "failed"} /> : <Loaded {...props} />
}

interface ButtonProps {
  readonly label: string
  /** The classes of its look. */
  readonly look?: string | undefined
  readonly disabled?: boolean
  readonly onClick: () => void
}

/** A button with its label. */
export function Button({ label, look = "button", ...button }: ButtonProps) {
  return (
    <button type="button" class={look} {...button}>
      {label}
    </button>
  )
}

/** A button with an icon, which its label names. */
export function IconButton({ icon, label, look, ...button }: ButtonProps & { readonly icon: IconName }) {
  return (
    <button type="button" class={look} aria-label={label} {...button}>
      <Icon name={icon} />
    </button>
  )
}

interface CopyButtonProps {
  readonly label: string
  /** What is copied when it is pressed. */
  readonly text: () => string
}

/** A button that copies a text, and says so. */
export function CopyButton({ label, text }: CopyButtonProps) {
  const { words } = usePage()
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text())
    setCopied(true)
  }
  return (
    <Button label={isCopied ? words.say("pair.copied") : label} onClick={() => copy().catch(() => setCopied(false))} />
  )
}

/** The button that removes a country from a list. */
export function RemoveButton({ code, onRemove }: { readonly code: string; readonly onRemove: () => void }) {
  const { words } = usePage()
  const label = words.say("picker.remove", { country: { country: code } })
  return <IconButton icon="close" look="close remove" label={label} onClick={onRemove} />
}

interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly options: readonly (readonly [value: Value, label: string])[]
  /** Null while nothing is chosen: the question is shown then. */
  readonly value: Value | null
  readonly onChange: (value: Value) => void
}

/** A choice of one among a few: radio buttons side by side. */
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

interface SelectionProps<Value extends string> {
  readonly label: string
  readonly options: readonly (readonly [value: Value, label: string])[]
  readonly value: Value
  readonly isLabelHidden?: boolean
  readonly onChange: (value: Value) => void
}

/** A drop-down list with its label. */
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

/** A date, typed or picked; empty while it is incomplete. */
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

interface FilterFieldProps {
  readonly text: string
  readonly onChange: (text: string) => void
}

/** A field that narrows a list of countries down to those that its text may mean. */
export function FilterField({ text, onChange }: FilterFieldProps) {
  const { words } = usePage()
  return (
    <label>
      <span class="unseen">{words.say("list.filter")}</span>
      <input
        type="search"
        placeholder={words.say("list.filter")}
        value={text}
        onInput={event => onChange(event.currentTarget.value)}
      />
    </label>
  )
}

interface SectionProps {
  readonly title: string
  readonly class?: string
  readonly level?: 2 | 3
  readonly children: ComponentChildren
}

/** A section with its heading, which names it. */
export function Section({ title, class: look, level = 2, children }: SectionProps) {
  const Heading = `h${level}` as const
  return (
    <section class={look} aria-label={title}>
      <Heading>{title}</Heading>
      {children}
    </section>
  )
}

interface TableProps {
  readonly label: string
  readonly heads: readonly ComponentChildren[]
  /** Its rows. */
  readonly children: ComponentChildren
}

/** A table that scrolls sideways where it is wider than the view. A head that is no element is the name of its column. */
export function Table({ label, heads, children }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways has to be reached by keys
    <section class="table" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {heads.map((head, at) =>
              isValidElement(head) ? (
                head
              ) : (
                <th key={at} scope="col">
                  {head}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  )
}

interface StretchedProps {
  /** In units of the drawing. */
  readonly width: number
  readonly height: number
  readonly children: ComponentChildren
}

/** A drawing that fills its place, mirrored where a text runs from right to left. What it shows is said elsewhere, so it is hidden from screen readers. */
export function Stretched({ width, height, children }: StretchedProps) {
  const { words } = usePage()
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      class={words.direction === "rtl" ? "mirrored" : undefined}
    >
      {children}
    </svg>
  )
}

interface FactsProps {
  /** A label and a text each. */
  readonly rows: readonly (readonly ComponentChildren[])[]
  /** Whether they are figures that change: screen readers announce them then. */
  readonly isLive?: boolean
}

/** Facts line by line, each with its label. */
export function Facts({ rows, isLive = false }: FactsProps) {
  return (
    <dl class={isLive ? "facts report" : "facts"} aria-live={isLive ? "polite" : undefined}>
      {rows.map(([label, text], at) => (
        <div key={at}>
          <dt>{label}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  )
}
