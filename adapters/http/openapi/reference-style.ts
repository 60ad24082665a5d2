/** How does the reference look? As the page of an account, with wider lines and forms that fold. */
import { STYLE } from "../routes/accounts/page/account-page-style.ts"

/** The sheet of styles of the page. */
export const REFERENCE_STYLE = `${STYLE}
header, main { max-width: 60rem }
details { border-top: 1px solid var(--line); padding: 0.5rem 0 }
summary { cursor: pointer; overflow-wrap: anywhere; min-height: 2rem }
.method { display: inline-block; min-width: 4.5rem; font-weight: 700; color: var(--accent) }
dl { margin: 0.5rem 0 }
dt { margin-top: 0.35rem; overflow-wrap: anywhere }
dd { margin: 0 0 0 1rem }
form { border-inline-start: 3px solid var(--line); padding-inline-start: 1rem }
textarea { width: 100%; font: 0.9rem/1.4 ui-monospace, monospace; border: 1px solid var(--field); border-radius: 0.35rem; background: var(--paper); color: var(--ink) }
select { max-width: 100% }
output { display: block }
pre { max-height: 30rem; overflow: auto }
ol { padding-inline-start: 1.25rem }
`
