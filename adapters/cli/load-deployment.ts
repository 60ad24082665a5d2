/** Which account does an operator mean, and how is the deployment loaded only for commands that need it? */
import { Effect } from "effect"
import { Argument } from "effect/cli"
import type { Accounts } from "../accounts/accounts.ts"
import type { Deployment } from "./operator-deployment.ts"

/** `ACCOUNT`: a number or an e-mail address. */
export const accountArgument = Argument.String("account").pipe(
  Argument.withDescription("The account's number, or its e-mail address"),
)

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

/** Changes an account, and finds it again as it is then. */
export const changeAccount = <Changed, E extends { readonly message: string }>(
  named: string,
  change: (accounts: Accounts["Service"], id: number) => Effect.Effect<Changed, E>,
) =>
  onDeployment(({ accounts, findAccount }) =>
    Effect.gen(function* () {
      const { id } = yield* findAccount(named)
      const changed = yield* change(accounts, id)
      return { account: yield* findAccount(String(id)), changed }
    }),
  )
