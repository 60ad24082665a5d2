/** The sheet of the account page, which is the common one with the picture of the usage, and its script. */
import { makeSheet } from "../../../page/design.ts"

/** The script of the page: it shows the buttons that copy a text, where the browser can copy, and says when it is done. */
export const SCRIPT = `if (navigator.clipboard)
  for (const button of document.querySelectorAll("button[data-copy]")) {
    const label = button.textContent
    button.hidden = false
    button.setAttribute("aria-live", "polite")
    button.addEventListener("click", () =>
      navigator.clipboard.writeText(button.dataset.copy).then(() => {
        button.textContent = button.dataset.done
        button.addEventListener("blur", () => (button.textContent = label), { once: true })
      }),
    )
  }
`

/** The sheet of the account page: the common one, and the picture of the usage. */
export const STYLE = makeSheet(`.address { overflow-wrap: anywhere; unicode-bidi: isolate }
tr.yours { background: var(--sunken) }
td form { margin: 0 }
ul.legend { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; margin: 0.5rem 0; padding: 0; list-style: none }
figure { margin: 1rem 0 }
svg { display: block; width: 100%; height: auto; direction: ltr }
svg text { fill: var(--soft); font-size: var(--small); unicode-bidi: plaintext }
svg line { stroke: var(--line) }
:is(rect, .swatch).kind-1 { fill: var(--clear); background: var(--clear) }
:is(rect, .swatch).kind-2 { fill: var(--get); background: var(--get) }
:is(rect, .swatch).kind-3 { fill: var(--field); background: var(--field) }
.swatch { display: inline-block; width: 0.8rem; height: 0.8rem; border-radius: 2px }
@media (forced-colors: active) {
  rect.kind-1, rect.kind-2, rect.kind-3 { fill: CanvasText; stroke: Canvas }
}
`)
