/** How is an account written for its owner? */
import type { Account } from "../../../accounts/account.ts"

/** An account under its names on the wire. */
export const writeUser = ({ id, name, email, plan, isConfirmed, apiVersion, language, createdAt }: Account) => ({
  id,
  name,
  email,
  plan,
  confirmed: isConfirmed,
  api_version: apiVersion,
  lang: language,
  created_at: createdAt,
})
