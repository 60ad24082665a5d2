/**
 * How do the elements look in another page?
 *
 * In colours of their own, light and dark as the page is, each of them a CSS variable that the page may set. The style is a sheet of the shadow root, which
 * no policy of a page forbids, and nothing of the page's own style reaches inside but fonts and text colour.
 */
export const STYLE = `:host {
  display: block;
  color: var(--landfall-ink, inherit);
  background: var(--landfall-paper, transparent);
  font-family: var(--landfall-font, inherit);
  container-type: inline-size;
}
:host([hidden]) { display: none }
p, ul, h2 { margin: 0 0 0.5em; padding: 0 }
h2 { font-size: 1.05em; font-weight: 600 }
svg { display: block; width: 100%; height: auto }
path, circle { stroke: var(--landfall-border, light-dark(#faf9f6, #14181b)); stroke-width: 0.5 }
.requirement { font-size: 1.35em; font-weight: 600 }
.note { font-size: 0.875em; opacity: 0.8 }
.legend { display: flex; flex-wrap: wrap; gap: 0.25em 1.25em; list-style: none; margin-block-start: 0.5em }
.legend svg { display: inline-block; width: 0.9em; height: 0.9em; vertical-align: -0.1em }
.outcome { border-inline-start: 0.35em solid var(--landfall-open, light-dark(#c98342, #d99a5b)); padding-inline-start: 0.75em }
.outcome.blocked { border-color: var(--landfall-blocked, light-dark(#8e2f22, #f0a291)) }
.outcome.clear { border-color: var(--landfall-clear, light-dark(#0f5b6d, #7cc4d1)) }
ul.list { padding-inline-start: 1.25em }
summary { cursor: pointer; min-height: 1.75em }
ul.all { columns: 16em; list-style: none }
ul.all li { break-inside: avoid }
.home { fill: var(--landfall-home, light-dark(#1d2b33, #f4f1e6)) }
.visa_free { fill: var(--landfall-visa-free, light-dark(#10617a, #2f8ba5)) }
.eta { fill: var(--landfall-eta, light-dark(#4f97a8, #6fb4c2)) }
.visa_on_arrival { fill: var(--landfall-visa-on-arrival, light-dark(#a3cdc9, #b5d8d3)) }
.e_visa { fill: var(--landfall-e-visa, light-dark(#ecdba4, #e7d495)) }
.visa_required { fill: var(--landfall-visa-required, light-dark(#d8935a, #c57f45)) }
.no_admission { fill: var(--landfall-no-admission, light-dark(#74291f, #96402f)) }
.unknown { fill: var(--landfall-unknown, light-dark(#dbd8d0, #3a4247)) }
`
