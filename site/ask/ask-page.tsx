/** The first view: one question, and three examples of it. */
import { type AskAddress, addressOf } from "../address.ts"
import { Title } from "../controls/controls.tsx"
import { usePage } from "../page-context.ts"
import { askAbout, NO_QUESTION, NOBODY, type Question } from "./question.ts"
import { Ask, namePerson } from "./question-form.tsx"

const EXAMPLES: readonly Question[] = [
  askAbout("DEU", "IND"),
  { ...askAbout("IND", "MEX"), people: [{ ...NOBODY, passports: ["IND"], held: [{ kind: "visa", issuer: "USA" }] }] },
  {
    ...NO_QUESTION,
    people: [
      { ...NOBODY, passports: ["FRA"] },
      { ...NOBODY, passports: ["IND"] },
    ],
  },
]

export function AskPage({ address: { question } }: { readonly address: AskAddress }) {
  const { words, linkTo } = usePage()
  return (
    <div class="ask-page">
      <Title text={words.say("map.title")} />
      <Ask question={question} />
      <p class="note">{words.say("start.examples")}</p>
      <ul class="examples">
        {EXAMPLES.map(example => {
          const people = example.people.map(person => namePerson(words, person)).join(" · ")
          const place = example.to === null ? words.say("where.anywhere") : words.country(example.to)
          return (
            <li key={people}>
              <a href={linkTo(addressOf(example))}>{words.locale.label(people, place)}</a>
            </li>
          )
        })}
      </ul>
    </div>
  )
}
