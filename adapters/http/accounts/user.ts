/** How is an account written for its owner? */
import type { Account } from "../../accounts/account.ts"

/** An account under its names on the wire. */
export const writeUser = ({ id, name, email, plan, isConfirmed, apiVersion, createdAt }: Account) => ({
  id,
  name,
  email,
  plan,
  confirmed: isConfirmed,
  api_version: apiVersion,
  created_at: createdAt,
})
