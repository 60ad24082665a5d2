/** A field for the rows of a spreadsheet or a text: what is pasted is read at once, and lines that are not understood stay in it, marked. */
import { useId, useRef, useState } from "preact/hooks"
import { Button } from "../controls/controls.tsx"
import { loadCountryReader } from "../controls/search.ts"
import { tagOfDates } from "../language/languages.ts"
import type { Words } from "../language/words.ts"
import { usePage } from "../page-context.ts"
import type { PastedRows, Reading } from "./read-rows.ts"

interface PasteFieldProps<Row> {
  readonly label: string
  /** A line as it may be written. */
  readonly example: string
  readonly read: (text: string, reading: Reading) => Promise<PastedRows<Row>>
  readonly onRead: (rows: readonly Row[]) => void
}

/** Words for documents in English; those of the reader's language are the page's own. */
const KINDS: Reading["kinds"] = [
  ["permanent resident", "permanent"],
  ["residence permit", "permit"],
  ["permit", "permit"],
  ["visa", "visa"],
]

async function openReading(words: Words): Promise<Reading> {
  const language = tagOfDates(words.language, navigator.languages)
  const parts = new Intl.DateTimeFormat(language, { dateStyle: "short" }).formatToParts(0).map(({ type }) => type)
  const own = (["permanent", "permit", "visa"] as const).map(kind => [words.say(`holding.${kind}`), kind] as const)
  const isDayFirst = parts.indexOf("day") < parts.indexOf("month")
  return { country: await loadCountryReader(words), language, isDayFirst, kinds: [...own, ...KINDS] }
}

export function PasteField<Row>({ label, example, read, onRead }: PasteFieldProps<Row>) {
  const { words } = usePage()
  const id = useId()
  const [text, setText] = useState("")
  const [left, setLeft] = useState(0)
  // Rows are added to what is there when they are read.
  const drawn = useRef({ read, onRead })
  drawn.current = { read, onRead }
  const take = async (given: string) => {
    setText(given)
    const reading = await openReading(words)
    const { rows, left: unread } = await drawn.current.read(given, reading)
    setText(unread.join("\n"))
    setLeft(unread.length)
    if (rows.length > 0) drawn.current.onRead(rows)
  }
  return (
    <div class="paste">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={Math.min(8, Math.max(2, text.split("\n").length))}
        spellcheck={false}
        placeholder={example}
        value={text}
        aria-invalid={left > 0}
        aria-describedby={`${id}-left`}
        onInput={event => setText(event.currentTarget.value)}
        onPaste={event => {
          const pasted = event.clipboardData?.getData("text/plain") ?? ""
          // A word is written into the line where it belongs.
          if (!/[\t\n;,]/.test(pasted.trim())) return
          event.preventDefault()
          void take(text.trim() === "" ? pasted : `${text}\n${pasted}`)
        }}
      />
      <p id={`${id}-left`} class="bad-line" role="status">
        {left > 0 && words.say("paste.left", { count: left })}
      </p>
      {text.trim() !== "" && (
        <p>
          <Button label={words.say("paste.read")} onClick={() => void take(text)} />
        </p>
      )}
    </div>
  )
}
