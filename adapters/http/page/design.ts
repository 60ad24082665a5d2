/**
 * How do the five surfaces look: the explorer, the page of an account, the reference, the operators' pages and the documentation?
 *
 * One set of tokens and one set of components, from which the sheet of each is made. A colour means an outcome and nothing else: buttons, links, focus and
 * selection are ink. Every pair of a text's colour and its ground has a contrast of at least 4.5, and the edge of a field one of 3.
 */

/** The values that every sheet is made of: colours in light and dark, sizes of type, spaces, corners and fonts. */
export const TOKENS = `:root {
  color-scheme: light dark;
  --paper: light-dark(#faf9f6, #14181b);
  --raised: light-dark(#ffffff, #1b2125);
  --sunken: light-dark(#f1efe9, #0f1315);
  --ink: light-dark(#1d2426, #ece9e2);
  --soft: light-dark(#566064, #a9b2b5);
  --line: light-dark(#dcd8ce, #343c41);
  --field: light-dark(#788184, #87929a);
  --shade: 29 36 38;
  --clear: light-dark(#0f5b6d, #7cc4d1);
  --clear-tint: light-dark(#e4f0f1, #16292e);
  --get: light-dark(#7d4a00, #eabb6c);
  --get-tint: light-dark(#f9efd8, #2d2617);
  --stop: light-dark(#8e2f22, #f3a595);
  --stop-tint: light-dark(#f8e7e2, #34201c);
  --ask: light-dark(#3f4a66, #b4bfde);
  --ask-tint: light-dark(#ecedf3, #20242f);
  --small: 0.8125rem;
  --text: 1rem;
  --large: 1.1875rem;
  --heading: 1.4375rem;
  --title: clamp(1.625rem, 1.3rem + 1.4vw, 2.25rem);
  --radius: 8px;
  --serif: Newsreader, "Newsreader stand-in", "Iowan Old Style", "Palatino Linotype", "URW Palladio L", P052, ui-serif, serif;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, "Liberation Mono", monospace;
}
`

/** The components of the pages that a service writes: frame, text, fields, buttons, cards, tables, notices and code. */
const COMPONENTS = `* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: var(--text)/1.5 var(--sans); font-variant-numeric: tabular-nums }
header, main, footer { max-width: 46rem; margin: 0 auto; padding: 1rem }
header, .tools { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; justify-content: space-between }
.mark, h1, h2 { font-family: var(--serif); font-weight: 500; line-height: 1.2; text-wrap: balance }
:is(.mark, h1, h2):lang(ar), :is(.mark, h1, h2):lang(hi), :is(.mark, h1, h2):lang(th) { line-height: 1.45 }
.mark { margin: 0; font-size: var(--heading) }
.mark a { text-decoration: none }
a { color: inherit; text-decoration-thickness: 1px; text-underline-offset: 0.2em }
h1 { margin: 0.5rem 0 1rem; font-size: var(--title) }
h2 { margin: 0 0 0.5rem; font-size: var(--heading) }
h3 { margin: 1rem 0 0.25rem; font-size: var(--text) }
section { margin: 1rem 0; padding: 1rem; border: 1px solid var(--line); border-radius: calc(1.5 * var(--radius)); background: var(--raised) }
section:target { outline: 2px solid var(--ink) }
p { margin: 0.5rem 0 }
label { display: block; font-weight: 600 }
label.sure, header label { display: inline; font-weight: 400 }
button, select, textarea, input:not([type="checkbox"]) { font: inherit; min-height: 2.75rem; border-radius: var(--radius); border: 1px solid var(--field); background: var(--raised); color: var(--ink); padding: 0.35rem 0.75rem }
input:not([type="checkbox"]) { width: 100%; max-width: 26rem }
input[type="checkbox"] { width: 1.25rem; height: 1.25rem; vertical-align: middle; accent-color: var(--ink) }
button { cursor: pointer }
section button { background: var(--ink); color: var(--paper); border-color: var(--ink); font-weight: 600 }
section button:is(.second, .copy, .plain), button.copy { background: none; color: var(--ink); border-color: var(--field); font-weight: 400 }
section button.plain { color: var(--stop) }
:focus-visible { outline: 3px solid var(--ink); outline-offset: 2px }
[aria-invalid] { border: 2px solid var(--stop) }
span.wrong { display: block; color: var(--stop) }
.notice { margin: 1rem 0; padding: 0.5rem 1rem; border-inline-start: 5px solid var(--clear); background: var(--clear-tint) }
.notice.wrong { border-color: var(--stop); background: var(--stop-tint) }
.word { font-weight: 600 }
.word.clear { color: var(--clear) }
.word.stop { color: var(--stop) }
code, pre { font: 0.95em/1.4 var(--mono); direction: ltr }
code { overflow-wrap: anywhere; user-select: all; unicode-bidi: isolate }
pre { overflow-x: auto; margin: 0.5rem 0; padding: 0.75rem; border: 1px solid var(--line); border-radius: var(--radius); background: var(--sunken); white-space: pre-wrap; overflow-wrap: anywhere }
fieldset { border: 1px solid var(--line); border-radius: var(--radius); margin: 0.5rem 0 }
.soft, small, caption, footer { color: var(--soft) }
.wide { overflow-x: auto }
table { border-collapse: collapse; min-width: 100% }
caption { text-align: start }
th, td { padding: 0.35rem 0.6rem; border-bottom: 1px solid var(--line); text-align: start; vertical-align: top }
thead th { color: var(--soft); font-weight: 600 }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; margin: 0.5rem 0; padding: 0; list-style: none }
summary { cursor: pointer; min-height: 1.75rem }
@media (max-width: 30rem) {
  section { padding: 0.75rem; border-inline: 0; border-radius: 0; margin-inline: -1rem }
  section button { width: 100% }
  td button, button.copy { width: auto }
}
`

/** Makes the sheet of a surface that a service writes: the tokens, the components, and what only this one has. */
export const makeSheet = (own = ""): string => `${TOKENS}${COMPONENTS}${own}`
