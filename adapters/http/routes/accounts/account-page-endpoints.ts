/**
 * The rows of `/account`, the page of an account: plain HTML and forms, rendered by the service, with a script for the buttons that copy.
 *
 * `page/` has its views and the actions of its forms; it is loaded when somebody opens the page for the first time.
 */

import { Effect } from "effect"
import { ACCOUNT_PATH } from "../../../settings/site-links.ts"
import { makeSheet } from "../../page/design.ts"
import { endpoint } from "../../pipeline/endpoint.ts"
import { answerText, readQuery } from "../../pipeline/http-message.ts"
import { FORM_NEEDS, PAGE_NEEDS } from "./account-answers.ts"
import { linkPageRow, loadPage } from "./signup-endpoints.ts"

/** The script of the page: it shows the buttons that copy a text, where the browser can copy, and says when it is done. */
const SCRIPT = `if (navigator.clipboard)
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

/** The sheet of the account page: the common one, and a little more. */
export const STYLE = makeSheet(`.address { overflow-wrap: anywhere; unicode-bidi: isolate }
tr.yours { background: var(--sunken) }
td form { margin: 0 }
meter { inline-size: 8rem }
`)

const shared = { surface: "operations", access: { kind: "public" } } as const

const openAccountPage = endpoint(`GET ${ACCOUNT_PATH}`, {
  ...shared,
  name: "page /account",
  needs: PAGE_NEEDS,
  answer: (_, context) => Effect.flatMap(loadPage, ({ openPage }) => openPage(context)),
})

const sendAccountForm = endpoint(`POST ${ACCOUNT_PATH}`, {
  ...shared,
  name: "form /account",
  needs: FORM_NEEDS,
  takesBody: true,
  // A form is written as a query is.
  read: ({ body }) => ({ ok: true, question: readQuery(body) }),
  answer: (form, context) => Effect.flatMap(loadPage, ({ actOnForm }) => actOnForm(context, form)),
})

const style = endpoint("GET /account.css", {
  ...shared,
  name: "style /account",
  answer: () => answerText("text/css; charset=utf-8", STYLE, ["cache-control", "no-cache"]),
})

const script = endpoint("GET /account.js", {
  ...shared,
  name: "script /account",
  answer: () => answerText("text/javascript; charset=utf-8", SCRIPT, ["cache-control", "no-cache"]),
})

/** The rows of the page, which the reference does not list. */
export const accountPageRows = [openAccountPage, linkPageRow, sendAccountForm, style, script] as const
