import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { readPageMessages } from "../../site/build/page-messages.ts"
import { CONDITION_KINDS } from "../../src/rules/provision-kinds.ts"
import { REASONS } from "../../src/trip/reasons.ts"

const sources = execFileSync("git", ["ls-files", "--", "src", "adapters", "site"], { encoding: "utf8" })
  .split("\n")
  .filter(file => /\.tsx?$/.test(file) && !/^(?:src\/record|site\/build)\/(?:page-)?messages\.ts$/.test(file))

const readKeys = (file: string): readonly string[] => Object.keys(JSON.parse(readFileSync(file, "utf8")))

const OF_THE_RECORD = "data/locales/en.json"
const OF_THE_PAGE = "site/locales/en.json"
const OF_MAILS = "adapters/mail/locales/en.json"
const OF_ACCOUNTS = "adapters/http/routes/accounts/page/locales/en.json"

const JUDGES = ["days", "documents", "entry", "judge", "law", "recorded", "transit"]

/** Words of the sentences about issues, whose placeholders name the family. */
const WORDS = ["border.", "exempt.", "proof.", "feature."]

interface Messages {
  readonly name: string
  readonly keys: readonly string[]
  /** The beginnings of the paths of the code that says them. */
  readonly saidIn: readonly string[]
  /** Code of the page that names other messages with these keys. */
  readonly except?: RegExp
  /** Families of messages whose names are put together from words of data. */
  readonly families?: readonly string[]
}

const MESSAGES: readonly Messages[] = [
  {
    name: OF_THE_RECORD,
    keys: readKeys(OF_THE_RECORD),
    saidIn: ["src/", "site/", "adapters/"],
    families: [...WORDS],
  },
  { name: OF_THE_PAGE, keys: readKeys(OF_THE_PAGE), saidIn: ["site/"] },
  {
    name: `${OF_THE_RECORD}, in the page`,
    keys: readKeys(OF_THE_RECORD).filter(key => Object.hasOwn(readPageMessages("en"), key)),
    saidIn: ["site/", "src/record/conditions.ts", "src/record/localise.ts", "src/record/notices.ts"],
    families: WORDS,
    // What records say in the page, they say with a catalogue of their own.
    except: /(?<=locale\.)say\(\{ key: "[\w.]+"/g,
  },
  {
    name: OF_MAILS,
    keys: readKeys(OF_MAILS),
    saidIn: ["adapters/mail/"],
    families: ["confirm.", "sign_in.", "payment_failed.", "webhook_stopped."],
  },
  { name: OF_ACCOUNTS, keys: readKeys(OF_ACCOUNTS), saidIn: ["adapters/http/routes/accounts/"] },
  {
    name: "the reasons of decisions",
    keys: Object.values(REASONS)
      .flatMap(sentences => Object.keys(sentences))
      .filter(code => !(CONDITION_KINDS as readonly string[]).includes(code)),
    // Everything but the catalogue itself.
    saidIn: ["src/codes", "src/dataset/open", "src/history/", ...JUDGES.map(name => `src/trip/${name}.ts`)],
  },
]

/** Finds the messages that no text, no property and no template of the code names. */
function findUnused({ keys, saidIn, except = /(?!)/g }: Omit<Messages, "name">): readonly string[] {
  const code = sources
    .filter(file => saidIn.some(folder => file.startsWith(folder)))
    .map(file =>
      file.startsWith("site/") ? readFileSync(file, "utf8").replace(except, "") : readFileSync(file, "utf8"),
    )
    .join("\n")
  const named = new Set(
    [...code.matchAll(/"([\w.-]+)"|\bcatalogue\.(\w+)/g)].flatMap(([, text, name]) => text ?? name ?? []),
  )
  const templates = [...code.matchAll(/`([a-z_]+\.[\w.]*\$\{[^`]*)`/g)].map(([, text = ""]) => {
    const parts = text.split(/\$\{[^{}]*\}/).map(part => part.replaceAll(".", "\\."))
    return new RegExp(`^${parts.join("[\\w-]+")}$`)
  })
  return keys.filter(key => !named.has(key) && !templates.some(template => template.test(key)))
}

describe("a message of a catalogue", () => {
  it.each(MESSAGES)("is used somewhere: $name", messages => {
    const { families = [] } = messages
    const unused = findUnused(messages)
    expect(unused.filter(key => !families.some(family => key.startsWith(family)))).toEqual([])
    // A family whose messages are all named is an exception too many.
    expect(families.filter(family => !unused.some(key => key.startsWith(family)))).toEqual([])
  })

  it("is reported if it is unused", () => {
    expect(findUnused({ keys: ["nobody.says_this"], saidIn: ["src/"] })).toEqual(["nobody.says_this"])
  })
})
