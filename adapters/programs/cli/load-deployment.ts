/** Which account does an operator mean, and how is the deployment loaded only for commands that need it? */
import { Effect } from "effect"
import { Argument } from "effect/cli"

/** `ACCOUNT`: a number or an e-mail address. */
export const accountArgument = Argument.String("account").pipe(
  Argument.withDescription("The account's number, or its e-mail address"),
)

// Loaded when it is needed, because every other command starts faster without it.
export const loadDeployment = Effect.promise(() =>
  Promise.all([
    import("./deployment.ts"),
    import("../../customers/accounts/accounts.ts"),
    import("../../platform/storage/storage.ts"),
  ]).then(([deployment, { Accounts }, { Storage }]) => ({ ...deployment, Accounts, Storage })),
)
