/** What does an app that shows answers have to show with them? The licences of the data ask for it; `data/LICENSES.md` has their texts. */
import { attributionLines } from "./attributions.generated.ts"

/**
 * Lists the publications that the data comes from, one line of English text each, as their licences ask to be named. An app shows them where it names its sources, such as in an "about" page.
 *
 * Cannot fail. A new list at every call.
 *
 * @example
 * ```ts
 * attributions()[2] // => "living-abroad.org, Digital nomad visa dataset, https://www.living-abroad.org/data/ (CC BY 4.0). Single facts."
 * ```
 */
export const attributions = (): readonly string[] => [...attributionLines]
