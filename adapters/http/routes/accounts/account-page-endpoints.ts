/**
 * The rows of `/account`, the page of an account: plain HTML and forms, rendered by the service, with a script for the buttons that copy.
 *
 * `page/` has its views and the actions of its forms; it is loaded when somebody opens the page for the first time.
 */
import { Effect } from "effect"

import { ACCOUNT_PATH } from "../../../settings/site-links.ts"
import { endpoint } from "../../pipeline/endpoint.ts"
import { answerText } from "../../pipeline/http-answer.ts"
import { readQuery } from "../../pipeline/request.ts"
import { SCRIPT, STYLE } from "./page/account-page-style.ts"
import { FORM_NEEDS, PAGE_NEEDS } from "./page-needs.ts"
import { linkPageRow } from "./signup-endpoints.ts"

const shared = { surface: "operations", access: { kind: "public" }, parameters: {} } as const

const openAccountPage = endpoint({
  ...shared,
  name: "page /account",
  method: "GET",
  path: ACCOUNT_PATH,
  needs: PAGE_NEEDS,
  answer: (_, context) =>
    Effect.flatMap(
      Effect.promise(() => import("./page/show-page.ts")),
      ({ openPage }) => openPage(context),
    ),
})

const sendAccountForm = endpoint({
  ...shared,
  name: "form /account",
  method: "POST",
  path: ACCOUNT_PATH,
  needs: FORM_NEEDS,
  takesBody: true,
  // A form is written as a query is.
  read: ({ body }) => ({ ok: true, question: readQuery(body) }),
  answer: (form, context) =>
    Effect.flatMap(
      Effect.promise(() => import("./page/actions.ts")),
      ({ actOnForm }) => actOnForm(context, form),
    ),
})

const style = endpoint({
  ...shared,
  name: "style /account",
  method: "GET",
  path: "/account.css",
  answer: () => answerText("text/css; charset=utf-8", STYLE, ["cache-control", "no-cache"]),
})

const script = endpoint({
  ...shared,
  name: "script /account",
  method: "GET",
  path: "/account.js",
  answer: () => answerText("text/javascript; charset=utf-8", SCRIPT, ["cache-control", "no-cache"]),
})

/** The rows of the page, which the reference does not list. */
export const accountPageRows = [openAccountPage, linkPageRow, sendAccountForm, style, script] as const
