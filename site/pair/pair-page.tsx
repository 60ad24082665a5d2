/**
 * Everything known about one pair, on one page that can be shared and printed: the answer, what to bring and to do, what to know there,
 * where to apply, the history of the rule, its sources, and what is unknown.
 */
import { type Found, lookupRequirement } from "landfall"
import type { FullRecord, Language } from "landfall/full"
import { useState } from "preact/hooks"
import { type PairAddress, writtenAddress } from "../address.ts"
import { isPastDay } from "../answers.ts"
import { Arriving } from "../controls/arriving.tsx"
import { CopyButton } from "../controls/copy-button.tsx"
import { CountryPicker } from "../controls/country-picker.tsx"
import { Icon } from "../controls/icon.tsx"
import { Title } from "../controls/title.tsx"
import { useFirstPaint } from "../first-paint.ts"
import { laterPart, useLaterPart } from "../later-part.ts"
import { beyond, LeftOut, type LeftOutList, PRINTED_LINES } from "../left-out.tsx"
import { usePage } from "../page-context.ts"
import { PLACES } from "../places.ts"
import { KindChoice } from "../trip/kind-choice.tsx"
import { holderOf, isOfOtherKind } from "../trip/kinds.ts"
import { wholeViewOn } from "../whole-dataset.ts"
import { Evidence } from "./evidence.tsx"
import { hostOf, Missions } from "./missions.tsx"
import { PastPair } from "./past-pair.tsx"
import { type OpenedRecord, openRecord, useRecord } from "./record.ts"
import { listLeftOut, listSections, listUnknown } from "./record-sections.tsx"
import { UnknownVerdict } from "./unknown-verdict.tsx"
import { Verdict } from "./verdict.tsx"

const KIND_PAIR = laterPart(async () => (await import("./kind-pair.tsx")).KindPair)
const DESTINATIONS = PLACES.map(({ code }) => code)

/** Opens the record of a pair before its view is drawn. */
export const openPair = ({ passport, destination, on }: PairAddress, language: Language): Promise<unknown> =>
  openRecord({ dataset: wholeViewOn(on), language, passport, destination })

export function PairPage({ address }: { readonly address: PairAddress }) {
  const { words, go } = usePage()
  const { passport, destination, kind, on } = address
  const dataset = wholeViewOn(on)
  const isPast = isPastDay(on) && passport !== destination
  // What was seen of past days is of ordinary passports.
  const isOther = isOfOtherKind(passport, kind)
  return (
    <article class="pair">
      <header>
        <Title
          text={words.say("label.title", { passport: { country: passport }, destination: { country: destination } })}
        >
          <span class="from">{words.country(passport)}</span> <Icon name="ahead" />{" "}
          <span class="to">{words.country(destination)}</span>
        </Title>
        <div class="pair-choice">
          <CountryPicker
            label={words.say("word.passport")}
            codes={dataset.passports}
            value={passport}
            onChoose={code => go({ ...address, passport: code, kind: "" })}
          />
          <CountryPicker
            label={words.say("word.destination")}
            codes={DESTINATIONS}
            value={destination}
            onChoose={code => go({ ...address, destination: code })}
          />
          <PairActions address={address} canTurn={dataset.passports.includes(destination)} />
        </div>
        {(!isPast || isOther) && (
          <KindChoice
            key={holderOf(passport)}
            {...{ passport, kind }}
            onChange={(code, of) => go({ ...address, passport: code, kind: of }, { replace: true })}
          />
        )}
        <p class="note">{words.say("pair.as_of", { date: { on: isPast ? on : dataset.asOf } })}</p>
      </header>
      {isOther ? (
        <LaterKindPair address={address} />
      ) : isPast ? (
        <PastPair address={{ ...address, on }} />
      ) : (
        <PresentPair address={address} />
      )}
    </article>
  )
}

/** The answer for another kind of passport, which few ask for. */
function LaterKindPair({ address }: { readonly address: PairAddress }) {
  const Loaded = useLaterPart(KIND_PAIR)
  if (Loaded !== null && Loaded !== "failed") return <Loaded address={address} />
  return <Arriving hasFailed={Loaded === "failed"} />
}

function PresentPair({ address }: { readonly address: PairAddress }) {
  const { words, linkTo } = usePage()
  const { passport, destination, on } = address
  const dataset = wholeViewOn(on)
  const opened = useRecord({ dataset, language: words.language, passport, destination })
  const answer = lookupRequirement(dataset, passport, destination)
  return (
    <>
      {(opened === null || opened === "failed") && <Arriving hasFailed={opened === "failed"} />}
      {opened !== null && opened !== "failed" && (answer.kind !== "found" || opened.record === null) && (
        <UnknownVerdict why={words.say("category.unknown_why")} />
      )}
      {opened !== null && opened !== "failed" && answer.kind === "found" && opened.record !== null && (
        <>
          <Verdict record={opened.record} locale={opened.locale} answer={answer} dataset={dataset} />
          <RecordBody
            link={writtenAddress(address) ?? linkTo(address)}
            opened={{ ...opened, record: opened.record }}
            answer={answer}
            isVisitor={!answer.home && answer.basis !== "freedom_of_movement"}
          />
        </>
      )}
    </>
  )
}

interface PairActionsProps {
  readonly address: PairAddress
  readonly canTurn: boolean
}

function PairActions({ address, canTurn }: PairActionsProps) {
  const { words, go, linkTo } = usePage()
  const { passport, destination } = address
  return (
    <div class="actions">
      {canTurn && (
        <button
          type="button"
          class="button"
          onClick={() => go({ ...address, passport: destination, destination: passport, kind: "" })}
        >
          {words.say("pair.turn")}
        </button>
      )}
      <button type="button" class="button" onClick={() => window.print()}>
        {words.say("pair.print")}
      </button>
      <CopyButton
        label={words.say("pair.copy")}
        text={() => new URL(writtenAddress(address) ?? linkTo(address), location.href).href}
      />
    </div>
  )
}

interface RecordBodyProps {
  readonly opened: OpenedRecord & { readonly record: FullRecord }
  readonly answer: Found
  readonly isVisitor: boolean
  /** The address of the pair. */
  readonly link: string
}

function RecordBody({ opened, answer, isVisitor, link }: RecordBodyProps) {
  const { words } = usePage()
  const { record, locale } = opened
  const isPainted = useFirstPaint()
  const unknown = listUnknown(record, locale, isVisitor)
  const [chosen, setChosen] = useState<string | null>(null)
  const host = hostOf(opened, record.passport, chosen)
  const leftOut: readonly LeftOutList[] = [
    ...listLeftOut(record, locale),
    [words.say("pair.missions"), beyond(host === null ? [] : opened.hosts.get(host), PRINTED_LINES.missions)],
    [locale.say({ key: "label.embassy_there" }), beyond(opened.own, PRINTED_LINES.missions)],
    [locale.say({ key: "label.history" }), beyond(record.reciprocity_history, PRINTED_LINES.history)],
    [locale.say({ key: "label.sources" }), beyond(record.sources, PRINTED_LINES.sources)],
  ]
  return (
    <>
      <div class="sections">
        {listSections(record, locale).map(({ key, heading, body }) => (
          <section key={key} aria-label={heading}>
            <h2>{heading}</h2>
            {body}
          </section>
        ))}
        {unknown.length > 0 && (
          <section class="not-known" aria-label={words.say("pair.not_known")}>
            <h2>{words.say("pair.not_known")}</h2>
            <p>{locale.list(unknown)}</p>
            <p class="note">{words.say("pair.not_known_why")}</p>
          </section>
        )}
      </div>
      {isPainted && <Missions opened={opened} host={host} onChoose={setChosen} />}
      {isPainted && <Evidence {...{ record, locale, answer }} />}
      <p class="note">{locale.say({ key: "label.disclaimer" })}</p>
      <LeftOut lists={leftOut} link={link} />
    </>
  )
}
