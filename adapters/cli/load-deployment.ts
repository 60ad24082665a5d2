/** Which account does an operator mean, and how is the deployment loaded only for commands that need it? */
import { Effect } from "effect"
import type { Account } from "../accounts/account.ts"
import { argument } from "./command.ts"
import type { Deployment } from "./operator-deployment.ts"

/** `ACCOUNT`: a number or an e-mail address. */
export const account = argument("The account's number, or its e-mail address")

/**
 * Does something on the deployment that the environment names, in the name of its operator. The deployment is loaded here, because every
 * other command starts faster without it.
 */
export const onDeployment = <A, E extends { readonly message: string }, R>(
  work: (deployment: Deployment) => Effect.Effect<A, E, R>,
) =>
  Effect.flatMap(
    Effect.promise(() => import("./operator-deployment.ts")),
    ({ runOnDeployment }) => runOnDeployment(work),
  )

/** Does something with an account. */
export const onAccount = <A, E extends { readonly message: string }, R>(
  named: string,
  work: (account: Account, deployment: Deployment) => Effect.Effect<A, E, R>,
) => onDeployment(deployment => Effect.flatMap(deployment.findAccount(named), account => work(account, deployment)))
