/**
 * Which commands are there?
 *
 * Each is loaded when it is called, because a process that loads all of them takes several times as long to start; all of them
 * are loaded for help, completions or an unknown name.
 */
import type { Command } from "effect/cli"

/** A command that needs only what every process has. */
// biome-ignore lint/suspicious/noExplicitAny: a command's type is exact in its name and input, which differ from one to the next.
type Runnable = Command.Command<any, any, any, unknown, Command.Environment>

type Load = () => Promise<Runnable>

/** A command, or several under a heading. */
export type Entry = Runnable | { readonly group: string; readonly commands: readonly Runnable[] }

const SERVICES: Readonly<Record<string, Load>> = {
  serve: async () => (await import("./serve.ts")).serve,
  worker: async () => (await import("./worker.ts")).worker,
  mcp: async () => (await import("./mcp.ts")).mcp,
  webhook: async () => (await import("./webhook.ts")).webhook,
}

const GROUPS: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  Questions: {
    check: async () => (await import("./check.ts")).check,
    find: async () => (await import("./countries.ts")).find,
    visa: async () => (await import("./visa.ts")).visa,
    explain: async () => (await import("./explain.ts")).explain,
    group: async () => (await import("./group.ts")).group,
    best: async () => (await import("./group.ts")).best,
    entrants: async () => (await import("./group.ts")).entrants,
    score: async () => (await import("./mobility.ts")).score,
    compare: async () => (await import("./mobility.ts")).compare,
    rank: async () => (await import("./mobility.ts")).rank,
  },
  Journeys: {
    itinerary: async () => (await import("./itinerary.ts")).itinerary,
    batch: async () => (await import("./batch.ts")).batch,
    stays: async () => (await import("./stays.ts")).stays,
  },
  Changes: {
    history: async () => (await import("./history.ts")).history,
    watch: async () => (await import("./watch.ts")).watch,
    diff: async () => (await import("./changes.ts")).diff,
  },
  Services: SERVICES,
  "A deployment": {
    account: async () => (await import("./account.ts")).account,
    key: async () => (await import("./key.ts")).key,
    operate: async () => (await import("./operate.ts")).operate,
    payments: async () => (await import("./payments.ts")).payments,
    spots: async () => (await import("./spots.ts")).spots,
  },
  "Data and datasets": {
    dataset: async () => (await import("./dataset.ts")).dataset,
    data: async () => (await import("./data.ts")).data,
  },
}

/** Says whether the arguments begin with a command that runs until it is stopped. */
export const isService = ([name = ""]: readonly string[]): boolean => Object.hasOwn(SERVICES, name)

/** Loads the command that the arguments begin with; all of them, in groups, where they begin with none. */
export async function loadCommands(args: readonly string[]): Promise<readonly Entry[]> {
  const [name = ""] = args
  const named = Object.values(GROUPS).find(group => Object.hasOwn(group, name))?.[name]
  if (named !== undefined) return [await named()]
  return Promise.all(
    Object.entries(GROUPS).map(async ([group, commands]) => ({
      group,
      commands: await Promise.all(Object.values(commands).map(load => load())),
    })),
  )
}
