/** The question that the page begins with: which passport, which country of residence, and where to? With likely passports and examples. */
import { useMemo } from "preact/hooks"
import { type MapAddress, START } from "../address.ts"
import { viewOn } from "../answers.ts"
import { CountryPicker } from "../controls/country-picker.tsx"
import { Flag } from "../controls/flag.tsx"
import { type Holding, nameHolding, SCHENGEN } from "../holdings.ts"
import type { Words } from "../language/words.ts"
import { usePage } from "../page-context.ts"
import { codeOf, PLACES } from "../places.ts"
import { isOfKind } from "./colouring.ts"

const DESTINATIONS = PLACES.map(({ code }) => code)

/** The passports of the countries that the reader's browser names with its languages: `en-IN` is India. */
function guessPassports(tags: readonly string[], passports: readonly string[]): readonly string[] {
  const codes = tags.flatMap(tag => {
    const alpha2 = /-([A-Z]{2})\b/.exec(tag)?.[1]
    const code = alpha2 === undefined ? undefined : codeOf(alpha2)
    return code !== undefined && passports.includes(code) ? [code] : []
  })
  return [...new Set(codes)].slice(0, 3)
}

const US_VISA: Holding = { kind: "visa", issuer: "USA" }
const SCHENGEN_PERMIT: Holding = { kind: "permit", issuer: SCHENGEN }

const EXAMPLES: readonly MapAddress[] = [
  { ...START, passports: ["IND"], held: [US_VISA] },
  { ...START, passports: ["TUR"], held: [SCHENGEN_PERMIT] },
  { ...START, passports: ["FRA", "IND"], together: "group" },
]

function nameExample(words: Words, { passports, held, together }: MapAddress): string {
  const named = words.locale.list([
    ...passports.map(words.country),
    ...held.map(document => nameHolding(words, document)),
  ])
  return together === null ? named : words.locale.label(named, words.say(`map.together_${together}`))
}

export function Start({ chosen }: { readonly chosen: MapAddress }) {
  const { words, go, linkTo } = usePage()
  const { passports } = viewOn(chosen.on)
  const likely = useMemo(() => guessPassports(navigator.languages, passports), [passports])
  return (
    <>
      {likely.length > 0 && (
        <p class="likely">
          <span class="note">{words.say("start.likely")}</span>
          {likely.map(code => (
            <button key={code} type="button" class="button" onClick={() => go({ ...chosen, passports: [code] })}>
              <Flag code={code} /> {words.country(code)}
            </button>
          ))}
        </p>
      )}
      <p class="note">{words.say("start.examples")}</p>
      <ul class="examples">
        {EXAMPLES.map(example => (
          <li key={nameExample(words, example)}>
            <a href={linkTo(example)}>{nameExample(words, example)}</a>
          </li>
        ))}
      </ul>
    </>
  )
}

interface WhereToProps {
  readonly chosen: MapAddress
}

/** Where the traveller lives, which counts as a permit of that country, and where he goes: one passport leads to all that is known of the pair. */
export function WhereTo({ chosen }: WhereToProps) {
  const { words, go } = usePage()
  const { passports, kind, held, on } = chosen
  const [passport] = passports
  const home = held.find(({ kind, issuer }) => kind === "permit" && issuer !== SCHENGEN)?.issuer
  return (
    <>
      {passports.length < 2 && !isOfKind(chosen) && (
        <CountryPicker
          label={words.say("start.live")}
          codes={DESTINATIONS}
          {...(home === undefined ? {} : { value: home })}
          onChoose={code => {
            const others = held.filter(({ kind, issuer }) => kind !== "permit" || issuer !== home)
            const isOwn = passports.includes(code)
            go({ ...chosen, held: isOwn ? others : [...others, { kind: "permit", issuer: code }] }, { replace: true })
          }}
        />
      )}
      <CountryPicker
        label={words.say("start.going")}
        codes={DESTINATIONS}
        onChoose={code =>
          passports.length === 1 && passport !== undefined && held.length === 0
            ? go({ view: "pair", passport, destination: code, kind, on })
            : go({ ...chosen, at: code }, { replace: true })
        }
      />
    </>
  )
}
