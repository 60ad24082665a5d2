/** How does the documentation look? As every surface: the common tokens, given to VitePress under its own names. */
import { TOKENS } from "../../adapters/http/page/design.ts"

export const STYLE = `${TOKENS}
html:not(.dark) { color-scheme: light }
html.dark { color-scheme: dark }
html:root, html.dark {
  --vp-c-bg: var(--paper);
  --vp-c-bg-alt: var(--sunken);
  --vp-c-bg-elv: var(--raised);
  --vp-c-bg-soft: var(--sunken);
  --vp-c-text-1: var(--ink);
  --vp-c-text-2: var(--soft);
  --vp-c-text-3: var(--soft);
  --vp-c-divider: var(--line);
  --vp-c-gutter: var(--line);
  --vp-c-border: var(--field);
  --vp-c-brand-1: var(--ink);
  --vp-c-brand-2: var(--ink);
  --vp-c-brand-3: var(--ink);
  --vp-c-brand-soft: var(--sunken);
  --vp-font-family-base: var(--sans);
  --vp-font-family-mono: var(--mono);
}
:is(.vp-doc h1, .vp-doc h2, .VPNavBarTitle .title) { font-family: var(--serif); font-weight: 500 }
`
