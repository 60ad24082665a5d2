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

/** The style sheet of the account page. It has two colour schemes, which the system selects, and one column on a phone. */
export const STYLE = `:root {
  color-scheme: light dark;
  --paper: light-dark(#faf9f6, #14181b);
  --raised: light-dark(#ffffff, #1c2226);
  --ink: light-dark(#1d2426, #e9e7e1);
  --soft: light-dark(#566064, #a3adb0);
  --line: light-dark(#dcd8ce, #333b40);
  --field: light-dark(#7b8487, #87929a);
  --accent: light-dark(#0f5b6d, #7cc4d1);
  --accent-ink: light-dark(#ffffff, #0e1a1d);
  --focus: light-dark(#b3541e, #f0a36b);
  --bad: light-dark(#8e2f22, #f0a291);
  --bad-tint: light-dark(#f8e9e4, #33211d);
  --good-tint: light-dark(#e4f0f1, #17292e);
  --kind-1: light-dark(#0f5b6d, #7cc4d1);
  --kind-2: light-dark(#c98342, #d99a5b);
  --kind-3: light-dark(#5c6468, #dcd8ce);
  font: 1rem/1.55 system-ui, sans-serif;
}
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink) }
header, main, footer { max-width: 46rem; margin: 0 auto; padding: 1rem }
header, .tools { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; justify-content: space-between }
.mark { margin: 0; font-weight: 700 }
a { color: var(--accent) }
h1 { margin: 0.5rem 0 1rem; font-size: 1.9rem; line-height: 1.2 }
h2 { margin: 0 0 0.5rem; font-size: 1.3rem; line-height: 1.3 }
h3 { margin: 1rem 0 0.25rem; font-size: 1rem }
section { margin: 1rem 0; padding: 1rem; border: 1px solid var(--line); border-radius: 0.5rem; background: var(--raised) }
section:target { outline: 2px solid var(--accent) }
p { margin: 0.5rem 0 }
label { display: block; font-weight: 600 }
label.sure, header label { display: inline; font-weight: 400 }
button, select, input:not([type="checkbox"]) { font: inherit; min-height: 2.75rem; border-radius: 0.35rem; border: 1px solid var(--field); background: var(--paper); color: var(--ink); padding: 0.35rem 0.75rem }
input:not([type="checkbox"]) { width: 100%; max-width: 26rem }
input[type="checkbox"] { width: 1.25rem; height: 1.25rem; vertical-align: middle; accent-color: var(--accent) }
section button { background: var(--accent); color: var(--accent-ink); border-color: var(--accent); cursor: pointer }
section button.second, button.copy { background: none; color: var(--accent); border-color: var(--accent); cursor: pointer }
section button.plain { background: none; color: var(--bad); border-color: var(--bad) }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px }
[aria-invalid] { border: 2px solid var(--bad) }
span.wrong { display: block; color: var(--bad) }
.notice { margin: 1rem 0; padding: 0.5rem 1rem; border-inline-start: 5px solid var(--accent); background: var(--good-tint) }
.notice.wrong { border-color: var(--bad); background: var(--bad-tint) }
code { font: 0.95em/1.4 ui-monospace, monospace; overflow-wrap: anywhere; user-select: all; direction: ltr; unicode-bidi: isolate }
pre { overflow-x: auto; margin: 0.5rem 0; padding: 0.75rem; border: 1px solid var(--line); border-radius: 0.35rem; white-space: pre-wrap; overflow-wrap: anywhere; direction: ltr }
fieldset { border: 1px solid var(--line); border-radius: 0.35rem; margin: 0.5rem 0 }
.soft { color: var(--soft) }
.address { overflow-wrap: anywhere; unicode-bidi: isolate }
.wide { overflow-x: auto }
table { border-collapse: collapse; min-width: 100% }
caption { text-align: start; color: var(--soft) }
th, td { padding: 0.35rem 0.6rem; border-bottom: 1px solid var(--line); text-align: start; vertical-align: top; font-variant-numeric: tabular-nums }
thead th { color: var(--soft); font-weight: 600 }
tr.yours { background: var(--good-tint) }
td form { margin: 0 }
nav ul, ul.legend { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; margin: 0.5rem 0; padding: 0; list-style: none }
figure { margin: 1rem 0 }
svg { display: block; width: 100%; height: auto; direction: ltr }
svg text { fill: var(--soft); font-size: 12px; unicode-bidi: plaintext }
svg line { stroke: var(--line) }
rect.kind-1 { fill: var(--kind-1) }
rect.kind-2 { fill: var(--kind-2) }
rect.kind-3 { fill: var(--kind-3) }
.swatch { display: inline-block; width: 0.8rem; height: 0.8rem; border-radius: 0.15rem }
.swatch.kind-1 { background: var(--kind-1) }
.swatch.kind-2 { background: var(--kind-2) }
.swatch.kind-3 { background: var(--kind-3) }
summary { cursor: pointer; min-height: 1.75rem }
footer { color: var(--soft) }
@media (max-width: 30rem) {
  section { padding: 0.75rem; border-inline: 0; border-radius: 0; margin-inline: -1rem }
  section button { width: 100% }
  td button, button.copy { width: auto }
}
@media (forced-colors: active) {
  rect.kind-1, rect.kind-2, rect.kind-3 { fill: CanvasText; stroke: Canvas }
}
`
