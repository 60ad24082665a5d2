/**
 * Which commands are there?
 *
 * Each is loaded when it is called, because a process that loads all of them takes several times as long to start; all of them
 * are loaded for help, completions or an unknown name.
 */
import type { Runnable } from "./command.ts"

type Load = () => Promise<Runnable>

/** A command, or several under a heading. */
export type Entry = Runnable | { readonly group: string; readonly commands: readonly Runnable[] }

const SERVICES: Readonly<Record<string, Load>> = {
  serve: async () => (await import("./service-commands.ts")).serve,
  worker: async () => (await import("./service-commands.ts")).worker,
  mcp: async () => (await import("./service-commands.ts")).mcp,
  webhook: async () => (await import("./service-commands.ts")).webhook,
}

const GROUPS: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  Questions: {
    check: async () => (await import("./pair-commands.ts")).check,
    find: async () => (await import("./pair-commands.ts")).find,
    visa: async () => (await import("./pair-commands.ts")).visa,
    explain: async () => (await import("./explain-command.ts")).explain,
    group: async () => (await import("./passport-commands.ts")).group,
    best: async () => (await import("./passport-commands.ts")).best,
    entrants: async () => (await import("./passport-commands.ts")).entrants,
    score: async () => (await import("./passport-commands.ts")).score,
    compare: async () => (await import("./passport-commands.ts")).compare,
    rank: async () => (await import("./passport-commands.ts")).rank,
  },
  Journeys: {
    itinerary: async () => (await import("./itinerary-command.ts")).itinerary,
    batch: async () => (await import("./batch-command.ts")).batch,
    convert: async () => (await import("./convert-command.ts")).convert,
    stays: async () => (await import("./stays-command.ts")).stays,
  },
  Changes: {
    history: async () => (await import("./change-commands.ts")).history,
    watch: async () => (await import("./change-commands.ts")).watch,
    diff: async () => (await import("./diff-command.ts")).diff,
  },
  Services: SERVICES,
  "A deployment": {
    account: async () => (await import("./account-command.ts")).account,
    backup: async () => (await import("./database-commands.ts")).backup,
    key: async () => (await import("./key-command.ts")).key,
    migrate: async () => (await import("./database-commands.ts")).migrate,
    operate: async () => (await import("./operate-command.ts")).operate,
    restore: async () => (await import("./database-commands.ts")).restore,
    spots: async () => (await import("./spots-command.ts")).spots,
  },
  "Data and datasets": {
    dataset: async () => (await import("./dataset-command.ts")).dataset,
    data: async () => (await import("./data-command.ts")).data,
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
