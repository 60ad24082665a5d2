/**
 * How is the usage of each day shown as a picture and as a table?
 *
 * One bar for each day, with one part for each kind of request. The picture has a name and a summary in words. The table has every number,
 * so the picture is not needed.
 */

import type { Words } from "./account-page-words.ts"
import { type Html, html } from "./html.ts"

/** The usage of each day. */
export interface DailySeries {
  readonly name: string
  readonly days: readonly { readonly on: string; readonly used: number }[]
}

const WIDTH = 620
const HEIGHT = 160
const LEFT = 52
const TOP = 14
const BOTTOM = 22
const GAP = 0.2

/** Rounds up to 1, 2 or 5 times a power of ten, for the end of an axis. */
function roundUp(value: number): number {
  if (value <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 5, 10].find(step => step * power >= value) as number) * power
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

const round = (value: number): number => Math.round(value * 100) / 100

/** Writes the picture and the table. */
export function writeUsage(words: Words, series: readonly DailySeries[]): Html {
  const { say, number, day, dayOfMonth } = words
  const days = (series[0]?.days ?? []).map(({ on }, at) => ({ on, used: series.map(of => of.days[at]?.used ?? 0) }))
  const totals = days.map(({ used }) => sum(used))
  const most = Math.max(0, ...totals)
  const top = roundUp(most)
  const step = (WIDTH - LEFT) / Math.max(1, days.length)
  const scale = (HEIGHT - TOP - BOTTOM) / top
  const floor = HEIGHT - BOTTOM

  const bars = days.flatMap(({ used }, at) => {
    let below = 0
    return used.map((count, kind) => {
      const y = floor - (below + count) * scale
      below += count
      if (count === 0) return null
      const [x, width] = [LEFT + (at + GAP / 2) * step, step * (1 - GAP)]
      return html`<rect class="kind-${kind + 1}" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(count * scale)}"></rect>`
    })
  })
  const lines = [0, top].map(value => {
    const y = round(floor - value * scale)
    return html`<line x1="${LEFT}" x2="${WIDTH}" y1="${y}" y2="${y}"></line><text x="${LEFT - 6}" y="${y + 4}" text-anchor="end">${number(value)}</text>`
  })
  const named = [...new Set([0, days.length - 1])].flatMap(at => {
    const on = days[at]?.on
    if (on === undefined) return []
    const anchor = at === 0 ? "start" : "end"
    return [
      html`<text x="${at === 0 ? LEFT : WIDTH}" y="${HEIGHT - 6}" text-anchor="${anchor}">${dayOfMonth(on)}</text>`,
    ]
  })
  const gist =
    most === 0
      ? say("usage.nothing")
      : say("usage.most", { total: sum(totals), day: day(days[totals.indexOf(most)]?.on ?? ""), most })
  const legend = series.map(
    ({ name }, kind) =>
      html`<li><span class="swatch kind-${kind + 1}"></span> <span translate="no">${name}</span></li>`,
  )
  return html`<figure>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="plot-name plot-gist" direction="ltr">
<title id="plot-name">${say("usage.by_day")}</title><desc id="plot-gist">${gist}</desc>
${lines}${bars}${named}
</svg>
<figcaption>${gist}<ul class="legend">${legend}</ul></figcaption>
</figure>
<details><summary>${say("usage.table")}</summary>
<div class="wide" role="group" aria-labelledby="by-day" tabindex="0"><table><caption id="by-day">${say("usage.by_day")}</caption>
<thead><tr><th scope="col">${say("usage.day")}</th>${series.map(({ name }) => html`<th scope="col" translate="no">${name}</th>`)}</tr></thead>
<tbody>${days.map(
    ({ on, used }) =>
      html`<tr><th scope="row"><time datetime="${on}">${day(on)}</time></th>${used.map(count => html`<td>${number(count)}</td>`)}</tr>`,
  )}</tbody></table></div>
</details>`
}
