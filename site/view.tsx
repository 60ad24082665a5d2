/** Which view does the address ask for? Each is loaded when it is first opened; the one of the first address together with the language. */
import type { ComponentType } from "preact"
import type { Address } from "./address.ts"
import { isPastDay, isTooFarAhead, sayTooFarAhead } from "./answers.ts"
import { Arriving, Later, Title } from "./controls/controls.tsx"
import { type LaterPart, laterPart } from "./later-part.ts"
import { usePage } from "./page-context.ts"
import { PAST, usePast } from "./past/use-past.tsx"

type Of<Name extends Address["view"]> = { readonly address: Extract<Address, { readonly view: Name }> }

const VIEWS = {
  ask: laterPart(async () => (await import("./ask/ask-page.tsx")).AskPage),
  anywhere: laterPart(async () => (await import("./anywhere/anywhere-page.tsx")).AnywherePage),
  pair: laterPart(async () => (await import("./pair/pair-page.tsx")).PairPage),
  trip: laterPart(async () => (await import("./trip/trip-page.tsx")).TripPage),
  ranking: laterPart(async () => (await import("./ranking/ranking-page.tsx")).RankingPage),
  coverage: laterPart(async () => (await import("./coverage/coverage-page.tsx")).CoveragePage),
} satisfies { readonly [Name in Address["view"]]: LaterPart<ComponentType<Of<Name>>> }

/** Loads what the first view is drawn with, so that it is drawn whole and nothing moves. What cannot be loaded, the view says itself. */
export async function loadView(address: Address): Promise<void> {
  const on = dayOfView(address)
  const isPast = isPastDay(on)
  const open = async () => {
    if (address.view === "pair" && !isPast) await (await import("./pair/pair-page.tsx")).openPair(address)
    if (address.view === "trip") await (await import("./trip/trip-page.tsx")).openTrip(address.trip)
  }
  await Promise.allSettled([VIEWS[address.view].load(), open(), isPast ? PAST.load() : null])
}

/** The day that a view is about; null for today. */
function dayOfView(address: Address): string | null {
  if ("question" in address) return address.question.from === "" ? null : address.question.from
  return "on" in address ? address.on : null
}

export function View({ address }: { readonly address: Address }) {
  const { words } = usePage()
  const on = dayOfView(address)
  const isPast = isPastDay(on)
  const past = usePast(isPast)
  if (isPast && (past === null || past === "failed")) return <Arriving hasFailed={past === "failed"} />
  const first = past === null || past === "failed" ? null : (past.listTableDays()[0] ?? null)
  // One destination may have an older list of its own.
  if (isPast && first !== null && on < first && address.view !== "pair") {
    return <Title text={words.say("past.none", { date: { on: first } })} />
  }
  // What was asked of past days is a history of pairs, and no verdict on a journey.
  const isOutside = on !== null && (isPast ? address.view === "anywhere" : isTooFarAhead(on))
  if (isOutside) return <Title text={sayTooFarAhead(words, on)} />
  return <Later part={VIEWS[address.view] as LaterPart<ComponentType<Of<Address["view"]>>>} address={address} />
}
