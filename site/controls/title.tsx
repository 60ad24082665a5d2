/**
 * The heading of a view: names it in the browser's title too, and takes the focus when the reader came from another view. It takes it while
 * the view is drawn: a moment later the reader may already be writing in a field, and would lose what he wrote.
 */
import type { ComponentChildren } from "preact"
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"

let isFirst = true

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
