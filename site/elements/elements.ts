/**
 * The public API of `landfall/elements`: three custom elements that answer in any page.
 *
 * `<landfall-map passports="IND,GBR" on="2027-03-01">`, `<landfall-answer passport="IND" destination="JPN">` and `<landfall-trip
 * passports="IND" stops="FRA 2027-06-10 2027-06-20, JPN 2027-06-21 2027-06-30">` send no requests: the data are in the package. Each uses
 * the language of its `lang`, or of an element around it, and updates when an attribute changes. They write no markup and no style into the
 * page, need no permission of its policy except `script-src`, and take their colours from CSS variables (docs/in-your-app.md).
 */
import { isCode } from "../../src/codes.ts"
import { embeddedPairs } from "../../src/dataset/embedded-pairs.ts"
import { type Dataset, datasetOn, type PairsDataset } from "../../src/dataset/open.ts"
import { readToday } from "../today.ts"
import { showAnswer } from "./answer.ts"
import { html } from "./drawing-nodes.ts"
import type { Shown } from "./shown.ts"
import { STYLE } from "./style.ts"
import type { Stop } from "./trip.ts"
import { languageOf, loadWords, type Words } from "./words.ts"

/** How the elements are defined. */
export interface ElementsOptions {
  /** A newer dataset than the embedded one; trips need a whole dataset, which this is. */
  readonly dataset?: Dataset
}

/** How many passports and stops an element reads. */
const MOST_PASSPORTS = 10
const MOST_STOPS = 12

const splitList = (text: string | null, most: number): readonly string[] =>
  (text ?? "")
    .split(",")
    .map(each => each.trim())
    .filter(each => each !== "")
    .slice(0, most)

const readPassports = (element: Element): readonly string[] =>
  splitList(element.getAttribute("passports") ?? element.getAttribute("passport"), MOST_PASSPORTS)
    .map(code => code.toUpperCase())
    .filter(isCode)

function readStops(text: string | null): readonly Stop[] {
  return splitList(text, MOST_STOPS).map(stop => {
    const [destination = "", from = "", to = from] = stop.split(/\s+/)
    return { destination: destination.toUpperCase(), from, to }
  })
}

type Show = (element: HTMLElement, words: Words, given: Dataset | null) => readonly Node[] | Promise<readonly Node[]>

/**
 * Shows the answer for the day of an element; an invalid day, or one before the first, is reported in English, for the author of the page.
 */
const showOnDay =
  (show: (shown: Shown) => readonly Node[] | Promise<readonly Node[]>): Show =>
  (element, words, given) => {
    const dataset: PairsDataset = given ?? embeddedPairs()
    const result = datasetOn(dataset, element.getAttribute("on") ?? readToday())
    if (!result.ok) return [html("p", { lang: "en", part: "mistakes" }, result.error.message)]
    const destination = (element.getAttribute("destination") ?? "").toUpperCase()
    return show({ dataset: result.value, knownOn: dataset.asOf, passports: readPassports(element), destination, words })
  }

/** The outlines of the world are a part of their own. */
const showMapOf = async (shown: Shown) => (await import("./map.ts")).showMap(shown)

const showTripOf: Show = async (element, words, given) => {
  const { showTrip } = await import("./trip.ts")
  const stops = readStops(element.getAttribute("stops"))
  return showTrip({ passports: readPassports(element), stops, today: readToday() }, words, given)
}

/** The elements, each with the attributes that it answers to. */
const ELEMENTS = {
  "landfall-map": { attributes: ["passports", "on", "lang"], show: showOnDay(showMapOf) },
  "landfall-answer": { attributes: ["passport", "destination", "on", "lang"], show: showOnDay(showAnswer) },
  "landfall-trip": { attributes: ["passports", "stops", "lang"], show: showTripOf },
} as const satisfies Readonly<Record<string, { readonly attributes: readonly string[]; readonly show: Show }>>

function makeElement(
  { attributes, show }: { readonly attributes: readonly string[]; readonly show: Show },
  given: Dataset | null,
): CustomElementConstructor {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(STYLE)
  return class extends HTMLElement {
    static readonly observedAttributes = attributes
    readonly #root = this.attachShadow({ mode: "open" })
    /** The number of the last change, so that an answer that comes too late is not shown. */
    #change = 0

    connectedCallback(): void {
      this.#root.adoptedStyleSheets = [sheet]
      this.#show()
    }

    attributeChangedCallback(): void {
      if (this.isConnected) this.#show()
    }

    async #show(): Promise<void> {
      const change = ++this.#change
      // Attributes that are set together are answered together.
      await Promise.resolve()
      if (change !== this.#change) return
      const language = languageOf(this)
      try {
        const words = await loadWords(language)
        const nodes = await show(this, words, given)
        if (change !== this.#change) return
        const body = html("div", { lang: language, dir: words.locale.direction }, ...nodes)
        this.#root.replaceChildren(body)
        this.dispatchEvent(new Event("landfall-shown", { bubbles: true, composed: true }))
      } catch (cause) {
        // A part could not be loaded: what was shown stays, and the page may listen.
        if (change === this.#change)
          this.dispatchEvent(new CustomEvent("landfall-failed", { bubbles: true, composed: true, detail: cause }))
      }
    }
  }
}

/**
 * Defines the three elements, once a page; a name that is taken already is left as it is. Needs a browser: call it there, or where a page is drawn on a server
 * leave it out.
 *
 * After an element has drawn itself it sends `landfall-shown`; where a part could not be loaded, `landfall-failed` with the cause as `detail`.
 *
 * @example
 * ```typescript
 * defineElements()
 * document.body.innerHTML = '<landfall-answer passport="IND" destination="JPN" lang="de"></landfall-answer>'
 * ```
 */
export function defineElements({ dataset }: ElementsOptions = {}): void {
  for (const [name, element] of Object.entries(ELEMENTS)) {
    if (customElements.get(name) === undefined) customElements.define(name, makeElement(element, dataset ?? null))
  }
}
