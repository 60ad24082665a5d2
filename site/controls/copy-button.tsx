/** A button that copies a text, and says so. */
import { useState } from "preact/hooks"
import { usePage } from "../page-context.ts"

interface CopyButtonProps {
  readonly label: string
  /** What is copied when it is pressed. */
  readonly text: () => string
}

export function CopyButton({ label, text }: CopyButtonProps) {
  const { words } = usePage()
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text())
    setCopied(true)
  }
  return (
    <button type="button" class="button" onClick={() => copy().catch(() => setCopied(false))}>
      {isCopied ? words.say("pair.copied") : label}
    </button>
  )
}
