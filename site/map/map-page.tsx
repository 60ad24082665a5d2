/**
 * The first view: which countries do one or several passports open, and who may enter a country?
 *
 * Every choice is in the address. The engine runs in the page: no request is sent for a colour.
 */
import { useMemo, useState } from "preact/hooks"
import type { MapAddress, Together } from "../address.ts"
import { viewOn } from "../answers.ts"
import { Choice } from "../controls/choice.tsx"
import { CountryChips } from "../controls/country-chips.tsx"
import { CountryPicker } from "../controls/country-picker.tsx"
import { Icon } from "../controls/icon.tsx"
import { Title } from "../controls/title.tsx"
import { useAfterPaint, useFirstPaint } from "../first-paint.ts"
import { writeHoldings } from "../holdings.ts"
import type { Words } from "../language/words.ts"
import { laterPart, useLaterPart } from "../later-part.ts"
import { usePage } from "../page-context.ts"
import { PLACES } from "../places.ts"
import { KindChoice } from "../trip/kind-choice.tsx"
import { holderOf } from "../trip/kinds.ts"
import {
  BY_REQUIREMENT,
  type Category,
  type Colouring,
  colourMap,
  holdsDocuments,
  isOfKind,
  isUnasked,
  paintOf,
} from "./colouring.ts"
import { DaySlider } from "./day-slider.tsx"
import { describePaint } from "./describe-paint.ts"
import { HeldDocuments } from "./held-documents.tsx"
import { Insets } from "./insets.tsx"
import { Legend } from "./legend.tsx"
import { PlaceCard } from "./place-card.tsx"
import { PlaceList } from "./place-list.tsx"
import { Start, WhereTo } from "./start.tsx"
import { useDisputed } from "./use-disputed.ts"
import { clampView, fitBox, fitMap, type Size, type View, zoomView } from "./viewport.ts"
import { WorldMap } from "./world-map.tsx"

const EASING = laterPart(() => import("./ease-by-documents.ts"))
const BY_KIND = laterPart(() => import("./colour-kinds.ts"))
const NOTHING: Colouring = { paints: new Map(), legend: BY_REQUIREMENT, counts: new Map() }
const DESTINATIONS = PLACES.map(({ code }) => code)
const MOST_PASSPORTS = 10
const ZOOM_STEP = 1.6

interface Look {
  readonly code: string
  readonly at: { readonly x: number; readonly y: number }
}

export function MapPage({ address: chosen }: { readonly address: MapAddress }) {
  const { words, go } = usePage()
  const [only, setOnly] = useState<Category | null>(null)
  const [size, setSize] = useState<Size>({ width: 960, height: 440 })
  const [view, setView] = useState<View | null>(null)
  const [look, setLook] = useState<Look | null>(null)
  const isPainted = useFirstPaint()
  const dataset = viewOn(chosen.on)
  const { passports, kind, together, held, destination, at, on } = chosen
  const isStart = destination === null && passports.length === 0
  const isAsked = !isStart && !isUnasked(chosen)
  const choice = `${passports} ${kind} ${together} ${writeHoldings(held)} ${destination}`
  const byKind = useLaterPart(BY_KIND, isOfKind(chosen))
  const asked = useMemo(() => {
    if (!isOfKind(chosen)) return colourMap(dataset, chosen)
    // For another kind there is no title before it is judged.
    return byKind === null || byKind === "failed" ? NOTHING : byKind.colourByKind(chosen, dataset.destinations)
  }, [dataset, choice, byKind])
  const easing = useLaterPart(EASING, held.length > 0 && holdsDocuments(chosen))
  const colouring = useMemo(
    () => (easing === null || easing === "failed" ? asked : easing.easeByDocuments(chosen, asked)),
    [asked, easing],
  )
  const disputed = useDisputed(chosen, isPainted && isAsked && !isOfKind(chosen))
  const refine = (change: Partial<MapAddress>) => go({ ...chosen, ...change }, { replace: true })

  const categories = isAsked ? colouring.legend : (["plain"] as const)
  // The colours are painted first. Names, small maps and the list are larger than all else together, and follow one after another.
  const followed = useAfterPaint(
    useMemo(() => ({ colouring, chosen, categories, isAsked }), [colouring, chosen, words, isAsked]),
  )
  const listed = useAfterPaint(followed)
  const isListed = useAfterPaint(isPainted)
  const labelOf = useMemo(
    () => (isPainted ? labelPlaces(words, followed, disputed) : () => ""),
    [words, followed, disputed, isPainted],
  )
  const appearanceOf = useMemo(
    () => (code: string) => {
      const { category } = paintOf(colouring, code)
      return { category, isDimmed: only !== null && category !== only }
    },
    [colouring, only],
  )
  const insets = useMemo(
    () => (
      <Insets
        isDrawn={isPainted}
        categories={followed.categories}
        categoryOf={code => paintOf(followed.colouring, code).category}
        onChoose={box => setView(clampView(fitBox(box, size), size))}
      />
    ),
    [followed, size, words, isPainted],
  )
  const list = useMemo(
    () => (
      <PlaceList
        colouring={listed.colouring}
        chosen={listed.chosen}
        {...{ only, disputed }}
        onChoose={code => refine({ at: code })}
      />
    ),
    [listed, only, disputed, words],
  )

  const zoomBy = (factor: number) => setView(zoomView(view ?? fitMap(size), size, factor, { x: 0, y: 0 }))
  const [subject, question] = titleOf(words, chosen)
  const title = subject === "" ? question : words.locale.label(subject, question)
  return (
    <div class="map-page">
      <div class="panel">
        {subject === "" ? (
          <Title text={title} />
        ) : (
          <Title text={title}>
            {subject} <small>{question}</small>
          </Title>
        )}
        {isStart && <p class="lead">{words.say("map.lead")}</p>}
        {isAsked && <Counts colouring={colouring} />}
        <Choice<"passport" | "destination">
          label={words.say("map.direction")}
          options={[
            ["passport", words.say("map.by_passport")],
            ["destination", words.say("map.by_destination")],
          ]}
          value={destination === null ? "passport" : "destination"}
          onChange={direction =>
            refine(
              direction === "passport"
                ? { destination: null, passports: destination === null ? passports : [], at: null }
                : { destination: at ?? passports[0] ?? "JPN", passports: [], at: null },
            )
          }
        />
        {destination === null ? (
          <CountryChips
            label={words.say("start.hold")}
            isLabelShown={isStart}
            prompts={[words.say("map.first_passport"), words.say("map.further_passport")]}
            codes={dataset.passports}
            chosen={passports}
            most={MOST_PASSPORTS}
            onChange={next =>
              go({
                ...chosen,
                passports: next,
                kind: next.length === 1 && next[0] === passports[0] ? kind : "",
                together: next.length > 2 && together === "difference" ? null : together,
              })
            }
          />
        ) : (
          <CountryPicker
            label={words.say("word.destination")}
            codes={DESTINATIONS}
            value={destination}
            onChoose={code => go({ ...chosen, destination: code, at: null })}
          />
        )}
        {destination === null && passports.length === 1 && (
          <KindChoice
            key={holderOf(passports[0] ?? "")}
            passport={passports[0] ?? ""}
            kind={kind}
            onChange={(code, of) => refine({ passports: [code], kind: of })}
          />
        )}
        {isOfKind(chosen) && <p class="note">{words.say("pair.kind_only")}</p>}
        {destination === null && passports.length > 1 && (
          <Choice<Together>
            label={words.say("map.together")}
            options={[
              ["best", words.say("map.together_best")],
              ["group", words.say("map.together_group")],
              ...(passports.length === 2 ? ([["difference", words.say("map.together_difference")]] as const) : []),
            ]}
            value={together}
            onChange={next => refine({ together: next })}
          />
        )}
        {destination === null && !isUnasked(chosen) && <WhereTo chosen={chosen} />}
        {at !== null && (
          <PlaceCard code={at} paint={paintOf(colouring, at)} chosen={chosen} onClose={() => refine({ at: null })} />
        )}
        {holdsDocuments(chosen) && <HeldDocuments held={held} onChange={next => refine({ held: next })} />}
        {(easing === "failed" || byKind === "failed") && (
          <p class="note" role="status">
            {words.say("view.not_loaded")}
          </p>
        )}
        {isStart && <Start chosen={chosen} />}
        {isAsked && <Legend colouring={colouring} passports={passports} only={only} onOnly={setOnly} />}
      </div>
      <div class="stage">
        <WorldMap
          label={isAsked ? title : words.say("map.title")}
          categories={categories}
          {...{ appearanceOf, labelOf }}
          chosen={at}
          disputed={disputed}
          onChoose={code => refine({ at: code })}
          onLook={(code, point) => setLook(code === null || point === null ? null : { code, at: point })}
          {...{ view, setView, size, setSize }}
        />
        <div class="zoom">
          <button type="button" aria-label={words.say("map.zoom_in")} onClick={() => zoomBy(ZOOM_STEP)}>
            <Icon name="plus" />
          </button>
          <button type="button" aria-label={words.say("map.zoom_out")} onClick={() => zoomBy(1 / ZOOM_STEP)}>
            <Icon name="minus" />
          </button>
          <button type="button" aria-label={words.say("map.zoom_reset")} onClick={() => setView(null)}>
            <Icon name="whole" />
          </button>
        </div>
        {look !== null && <Tip look={look} size={size} text={labelOf(look.code)} />}
        {isAsked && <DaySlider on={on} onChange={next => refine({ on: next })} />}
        {insets}
      </div>
      {isAsked && isListed && list}
    </div>
  )
}

interface Labelled {
  readonly colouring: Colouring
  readonly chosen: MapAddress
  readonly isAsked: boolean
}

/** Names each place with what the map shows of it, when it is first asked for. */
function labelPlaces(words: Words, { colouring, chosen, isAsked }: Labelled, disputed: ReadonlySet<string>) {
  const known = new Map<string, string>()
  return (code: string): string => {
    const made = known.get(code)
    if (made !== undefined) return made
    const name = words.country(code)
    const said = isAsked ? describePaint(words, paintOf(colouring, code), chosen) : ""
    const whole = disputed.has(code) ? words.locale.list([said, words.say("map.disputed")]) : said
    const label = isAsked ? words.locale.label(name, whole) : name
    known.set(code, label)
    return label
  }
}

function Counts({ colouring: { counts, legend } }: { readonly colouring: Colouring }) {
  const { words } = usePage()
  if (!legend.includes("visa_free") || legend.includes("no_passport")) return null
  const count = (...categories: readonly Category[]) =>
    categories.reduce((sum, category) => sum + (counts.get(category) ?? 0), 0)
  return (
    <p class="lead" role="status">
      {words.say("map.counts", {
        free: count("visa_free"),
        online: count("eta", "e_visa"),
        arrival: count("visa_on_arrival"),
        visa: count("visa_required"),
        closed: count("no_admission"),
        unknown: count("unknown"),
      })}
    </p>
  )
}

/** Whom or what the view is about, and what it answers. */
function titleOf(
  { say, country }: Words,
  { passports, together, destination }: MapAddress,
): readonly [subject: string, question: string] {
  if (destination !== null) return [country(destination), say("map.who_may_enter")]
  return [passports.map(country).join(together === "difference" ? " · " : " + "), say("map.title")]
}

const TIP_WIDTH = 240

/** A tip beside the country under the pointer or the keys. The list of the map says the same to readers who do not see it. */
function Tip({ look, size, text }: { readonly look: Look; readonly size: Size; readonly text: string }) {
  const { words } = usePage()
  const name = words.country(look.code)
  const rest = text.slice(name.length).replace(/^\s*[::]\s*/u, "")
  const isRight = look.at.x + TIP_WIDTH + 24 > size.width
  return (
    <div
      class="tip"
      aria-hidden="true"
      style={{
        left: isRight ? "auto" : `${look.at.x + 14}px`,
        right: isRight ? `${size.width - look.at.x + 14}px` : "auto",
        top: `${Math.max(0, look.at.y - 10)}px`,
      }}
    >
      <strong>{name}</strong>
      {rest !== "" && <span>{rest}</span>}
    </div>
  )
}
