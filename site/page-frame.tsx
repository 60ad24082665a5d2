/** The frame of every view: the name, the links to the others, one line on the limits of the data, the language and the colours. */

import { OWN_NAMES } from "site:messages"
import { isLanguage, type Language } from "landfall/full"
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks"
import { type Address, addressOf, RANKING, type ReadAddress, readAddress, START, writeAddress } from "./address.ts"
import { onDatasetReplaced, pairsDataset } from "./answers.ts"
import { NO_QUESTION, NOBODY, type Person, travellerOf, travellersOf } from "./ask/question.ts"
import type { PageKey } from "./build/page-messages.ts"
import { Icon } from "./controls/controls.tsx"
import { ErrorBoundary } from "./error-boundary.tsx"
import { keepChoice, keptChoice } from "./kept-choices.ts"
import { loadWords, type Words } from "./language/words.ts"
import { isOfferUnmet } from "./offered-dataset.ts"
import { isOfflineReady, onOfflineReady } from "./offline.ts"
import { type Page, PageContext, usePage } from "./page-context.ts"
import { MOST_COMPARED } from "./ranking/methods.ts"
import { NO_TRIP, type Trip } from "./trip/trip.ts"
import { View } from "./view.tsx"

/** Where a view begins; the question for those that need a choice before. */
const STARTS: Partial<Record<Address["view"], Address>> = {
  trip: { view: "trip", trip: NO_TRIP },
  ranking: RANKING,
  coverage: { view: "coverage" },
}

export function PageFrame({ first }: { readonly first: Words }) {
  const [read, setRead] = useState<ReadAddress>(() => readAddress(location.hash))
  const [words, setWords] = useState(first)
  const { address } = read
  const [asked, setAsked] = useState(() => ("question" in address ? address.question : NO_QUESTION))
  const [trip, setTrip] = useState<Trip>(NO_TRIP)
  const [replaced, setReplaced] = useState(0)
  const place = useRef<HTMLElement>(null)

  useEffect(() => onDatasetReplaced(() => setReplaced(count => count + 1)), [])

  useEffect(() => {
    const follow = () => setRead(readAddress(location.hash))
    window.addEventListener("hashchange", follow)
    return () => window.removeEventListener("hashchange", follow)
  }, [])

  const setLanguage = useCallback(async (language: Language) => setWords(await loadWords(language)), [])

  useEffect(() => {
    const { language } = read
    if (language !== null && language !== words.language) void setLanguage(language)
  }, [read, words.language, setLanguage])

  useEffect(() => {
    document.documentElement.lang = words.language
    document.documentElement.dir = words.direction
  }, [words])

  // Chosen passports are taken along to the other views, and a trip is kept until the reader comes back to it.
  useEffect(() => {
    if (address.view === "trip") setTrip(address.trip)
    if (address.view === "ranking") {
      const { passports } = address
      setAsked({ ...NO_QUESTION, people: [{ ...NOBODY, passports }] })
    }
    if ("question" in address) setAsked(address.question)
  }, [address])

  const page = useMemo<Page>(() => {
    const { language: chosen } = read
    return {
      words,
      address,
      linkTo: to => writeAddress(to, chosen),
      go: (to, options) => {
        const hash = writeAddress(to, chosen)
        if (options?.replace === true) history.replaceState(null, "", hash)
        else history.pushState(null, "", hash)
        setRead({ address: to, language: chosen })
      },
      setLanguage: language => {
        keepChoice("language", language)
        history.replaceState(null, "", writeAddress(address, language))
        setRead({ address, language })
        void setLanguage(language)
      },
    }
  }, [words, address, read.language, setLanguage])

  const main = (
    <main id="main" ref={place}>
      <ErrorBoundary key={replaced} page={page} startOver={STARTS[address.view] ?? START}>
        <View address={address} />
      </ErrorBoundary>
    </main>
  )
  const person = travellersOf(asked)[0] ?? NOBODY
  const { view } = address
  // The links that are always one step away. Anywhere is an answer to the same question: it is offered to those who have asked one.
  const ways: readonly (readonly [key: PageKey, to: Address, isHere: boolean])[] = [
    ["nav.answer", START, view === "ask" || view === "pair"],
    ...(person === NOBODY
      ? []
      : ([["where.anywhere", addressOf({ ...asked, to: null, unread: "" }), view === "anywhere"]] as const)),
    ["nav.trip", { view: "trip", trip: carryAlong(person, trip) }, view === "trip"],
  ]
  if (isEmbedded()) {
    return (
      <PageContext.Provider value={page}>
        {main}
        <footer class="foot">
          <a href={`./${page.linkTo(address)}`} target="_blank" rel="noopener">
            {words.say("foot.open")}
          </a>
          <p>{words.locale.label(words.say("foot.dataset"), pairsDataset().version)}</p>
        </footer>
      </PageContext.Provider>
    )
  }
  return (
    <PageContext.Provider value={page}>
      {/* biome-ignore lint/a11y/useValidAnchor: the part after # is the view, so that the way to the content is gone by hand */}
      <a
        class="skip"
        href="#main"
        onClick={event => {
          event.preventDefault()
          place.current?.querySelector("h1")?.focus()
        }}
      >
        {words.say("nav.skip")}
      </a>
      <header class="top">
        <a class="brand" href={page.linkTo(START)}>
          Landfall
        </a>
        <nav aria-label={words.say("nav.label")}>
          {ways.map(([key, to, isHere]) => (
            <a key={key} href={page.linkTo(to)} aria-current={isHere ? "page" : undefined}>
              {words.say(key)}
            </a>
          ))}
        </nav>
      </header>
      {main}
      <Foot page={page} passports={person.passports} />
    </PageContext.Provider>
  )
}

/** Says whether the page is in a frame of another page, for which it was built without its own. */
const isEmbedded = (): boolean => document.documentElement.dataset.embedded !== undefined

/** Says whether the service serves the page: it has documentation and accounts, which other hosts have not. */
const isServed = (): boolean => document.querySelector('meta[name="landfall-addresses"]') !== null

/** Takes what a reader has said of himself along to a trip. */
const carryAlong = (person: Person, trip: Trip): Trip =>
  person.passports.length === 0 || trip.passports.length > 0 || trip.stops.length > 0
    ? trip
    : { ...trip, ...travellerOf(person), earlierStays: trip.earlierStays }

interface FootProps {
  readonly page: Page
  readonly passports: readonly string[]
}

function Foot({ page: { words, address, linkTo, setLanguage }, passports }: FootProps) {
  const [isReady, setReady] = useState(isOfflineReady())
  useEffect(() => onOfflineReady(() => setReady(true)), [])
  const ranking = { ...RANKING, passports: passports.slice(0, MOST_COMPARED) }
  const isHere = (view: Address["view"]) => (address.view === view ? "page" : undefined)
  return (
    <footer class="foot">
      <p>{words.say("foot.honest")}</p>
      <p>
        <a href={linkTo(ranking)} aria-current={isHere("ranking")}>
          {words.say("nav.ranking")}
        </a>{" "}
        ·{" "}
        <a href={linkTo({ view: "coverage" })} aria-current={isHere("coverage")}>
          {words.locale.label(words.say("foot.dataset"), pairsDataset().version)}
        </a>{" "}
        · <a href="licenses.txt">{words.say("foot.licenses")}</a>
        {isServed() && (
          <>
            {" "}
            · <a href="docs">{words.say("foot.docs")}</a> · <a href="account">{words.say("foot.account")}</a>
          </>
        )}
      </p>
      {isOfferUnmet() && <p role="alert">{words.say("foot.own_data")}</p>}
      <p role="status">{isReady ? words.say("foot.offline") : ""}</p>
      <div class="settings">
        <label>
          <span class="unseen">{words.say("nav.language")}</span>
          <select
            value={words.language}
            onChange={event => {
              const { value } = event.currentTarget
              if (isLanguage(value)) setLanguage(value)
            }}
          >
            {OWN_NAMES.map(([language, name]) => (
              <option key={language} value={language} lang={language}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <ThemeChoice />
      </div>
    </footer>
  )
}

const THEMES = ["system", "light", "dark"] as const
type Theme = (typeof THEMES)[number]

/** Light, dark, or the system's choice: one button that cycles through the three. */
function ThemeChoice() {
  const { words } = usePage()
  const [theme, setTheme] = useState<Theme>(() => THEMES.find(known => known === keptChoice("theme")) ?? "system")
  useEffect(() => {
    if (theme === "system") delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = theme
  }, [theme])
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] as Theme
  const label = words.locale.label(words.say("theme.label"), words.say(`theme.${theme}`))
  return (
    <button
      type="button"
      class="theme"
      title={label}
      aria-label={label}
      onClick={() => {
        keepChoice("theme", next)
        setTheme(next)
      }}
    >
      <Icon name={theme} />
    </button>
  )
}
