/** Which view does the address ask for? The map is there at once; the others are loaded when they are first opened. */
import type { ComponentType } from "preact"
import { useEffect, useState } from "preact/hooks"
import type { Address } from "./address.ts"
import { dateOf, dayOf, findDaySpan, isPastDay } from "./answers.ts"
import { Title } from "./controls/title.tsx"
import { MapPage } from "./map/map-page.tsx"
import { usePage } from "./page-context.ts"
import { PastArrives, usePast } from "./past/use-past.tsx"

type Of<Name extends Address["view"]> = { readonly address: Extract<Address, { readonly view: Name }> }

const LOADERS = {
  pair: async () => (await import("./pair/pair-page.tsx")).PairPage,
  trip: async () => (await import("./trip/trip-page.tsx")).TripPage,
  where: async () => (await import("./where/where-page.tsx")).WherePage,
  ranking: async () => (await import("./ranking/ranking-page.tsx")).RankingPage,
  counter: async () => (await import("./counter/counter-page.tsx")).CounterPage,
  coverage: async () => (await import("./coverage/coverage-page.tsx")).CoveragePage,
}
type Later = keyof typeof LOADERS

const loaded = new Map<Later, ComponentType<Of<Later>>>()

export function View({ address }: { readonly address: Address }) {
  const { words } = usePage()
  const on = "on" in address ? address.on : null
  const isPast = isPastDay(on)
  const past = usePast(isPast)
  if (isPast && (past === null || past === "failed")) return <PastArrives past={past} />
  const first = past === null || past === "failed" ? null : (past.listTableDays()[0] ?? null)
  // One destination may have an older list of its own.
  if (isPast && first !== null && on < first && address.view !== "pair") {
    return <Title text={words.say("past.none", { date: { on: first } })} />
  }
  if (on !== null && !isPast && dayOf(on) > findDaySpan().last) {
    const { first: begin, last } = findDaySpan()
    const span = { date: { on }, first: { on: dateOf(begin) }, last: { on: dateOf(last) } }
    return <Title text={words.say("day.outside", span)} />
  }
  return address.view === "map" ? <MapPage chosen={address} /> : <LaterView address={address} />
}

function LaterView({ address }: { readonly address: Extract<Address, { readonly view: Later }> }) {
  const { words } = usePage()
  const [, setArrived] = useState(0)
  const [hasFailed, setFailed] = useState(false)
  const { view } = address
  useEffect(() => {
    setFailed(false)
    if (loaded.has(view)) return
    let isWanted = true
    const load = async () => {
      loaded.set(view, (await LOADERS[view]()) as ComponentType<Of<Later>>)
      if (isWanted) setArrived(count => count + 1)
    }
    load().catch(() => {
      if (isWanted) setFailed(true)
    })
    return () => {
      isWanted = false
    }
  }, [view])
  const Loaded = loaded.get(view)
  if (Loaded !== undefined) return <Loaded address={address} />
  return (
    <p class="note" role="status">
      {hasFailed ? words.say("view.not_loaded") : words.say("view.loading")}
    </p>
  )
}
