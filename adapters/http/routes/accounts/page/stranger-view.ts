/** What does the page show to a viewer who is not signed in? Two forms, to sign in and to register; after a mailed link, one button. */

import { CONFIRM_PATH } from "../../../../accounts/mail-dispatcher.ts"
import type { MessageName, Words } from "./account-page-words.ts"
import { type Html, html } from "./html.ts"
import { hiddenFields, type View, writeHidden } from "./layout.ts"

/** A form that was sent, with the fields that are shown again. */
export interface SentForm {
  readonly does: "sign_in" | "register"
  readonly name: string
  readonly email: string
  readonly affiliateId: string | null
  /** The fields with mistakes. */
  readonly wrong: readonly string[]
}

interface Field {
  readonly name: "name" | "email"
  readonly label: string
  readonly value: string
  /** The mistake, if there is one. */
  readonly wrong: string | null
}

function writeField(does: SentForm["does"], { name, label, value, wrong }: Field): Html {
  const id = `${does}-${name}`
  const kind = name === "email" ? html`type="email" maxlength="254"` : html`type="text" maxlength="100"`
  const described = wrong === null ? "" : html` aria-invalid="true" aria-describedby="${id}-wrong"`
  return html`<p><label for="${id}">${label}</label>
<input id="${id}" name="${name}" ${kind} autocomplete="${name}" required value="${value}"${described}>
${wrong === null ? "" : html`<span id="${id}-wrong" class="wrong">${wrong}</span>`}</p>`
}

/** The page of a mailed link: a button that sends its token. */
export const viewOfLink = ({ language, say }: Words, token: string): View => ({
  title: say("account"),
  path: CONFIRM_PATH,
  kept: { token },
  body: html`<section aria-labelledby="sign-in">
<h2 id="sign-in">${say("sign_in")}</h2>
<p>${say("confirm.text")}</p>
<form method="post" action="/account">${hiddenFields("confirm", language)}${writeHidden("token", token)}
<p><button>${say("sign_in")}</button></p>
</form>
</section>`,
})

/** The page of a viewer who is not signed in; the form to register is first if the address says so. */
export function viewOfStranger(
  { language, say }: Words,
  options: {
    readonly isNew: boolean
    readonly unconfirmedRequests: number
    readonly sent: SentForm | null
    /** Who referred the viewer. */
    readonly affiliateId: string | null
  },
): View {
  const { affiliateId, isNew, unconfirmedRequests, sent } = options
  const brought = affiliateId === null ? {} : { affiliate: affiliateId }
  const fieldsOf = (does: SentForm["does"], names: readonly Field["name"][]) =>
    names.map(name => {
      const again = sent?.does === does ? sent : null
      const message: MessageName = `wrong.${name}`
      const wrong = again?.wrong.includes(name) === true ? say(message) : null
      return writeField(does, { name, label: say(name), value: again?.[name] ?? "", wrong })
    })
  const signIn = html`<section aria-labelledby="sign-in">
<h2 id="sign-in">${say("sign_in")}</h2>
<p>${say("sign_in.text")}</p>
<form method="post" action="/account">${hiddenFields("sign_in", language)}
${fieldsOf("sign_in", ["email"])}
<p><button>${say("sign_in.send")}</button></p>
</form>
</section>`
  const register = html`<section aria-labelledby="register">
<h2 id="register">${say("register")}</h2>
<p>${say("register.text", { count: unconfirmedRequests })}</p>
<form method="post" action="/account">${hiddenFields("register", language)}${affiliateId !== null && writeHidden("affiliate", affiliateId)}
${fieldsOf("register", ["name", "email"])}
<p><button>${say("register.send")}</button></p>
</form>
</section>`
  return {
    title: say("account"),
    kept: { ...(isNew ? { register: "" } : {}), ...brought },
    body: html`${isNew ? [register, signIn] : [signIn, register]}`,
  }
}
