/**
 * On what does an entry rule depend, besides the passport?
 *
 * A rule may apply only with a visa of another state, after a registration, through a sponsor, at some airports; a ban may have exceptions.
 * Such conditions are data of the rule. Each has a kind from a closed list and the parameters of its kind, so that a program can judge it
 * and every language can express it. The kind `other` is an English sentence for everything else. This file declares the kinds and words;
 * it knows no country.
 */
import { REQUIREMENTS } from "../dataset/requirement.ts"
import {
  BORDERS,
  type ConditionKind,
  EXEMPTIONS,
  PASSPORT_FEATURES,
  PROOFS,
  PURPOSES,
  SPONSORS,
} from "./condition-words.ts"
import {
  amount,
  count,
  currency,
  date,
  type Fields,
  type Given,
  type Kind,
  listOf,
  may,
  money,
  must,
  only,
  orNull,
  record,
  selectors,
  source,
  text,
  texts,
  url,
  type Variant,
  variant,
  word,
  words,
} from "./table.ts"

export const requirement = word(REQUIREMENTS)
export const requirements = words(REQUIREMENTS, "requirement")
const borders = words(BORDERS, "border")
const held = only(true)
const DOCUMENT = {
  /** What the document is. */
  kind: must(word(["visa", "residence_permit"])),
  /** Any one is enough; `@BLOC` and `@zone` mean their members. */
  issuers: must(selectors("destinations")),
  /** A visa for several entries. */
  multipleEntry: may(held),
  /** A visa that was used to enter its issuer. */
  usedBefore: may(held),
  /** A permit without an end. */
  permanent: may(held),
  /** On paper or a card, not electronic. */
  physical: may(held),
  /** The holder comes from the issuer, after having been admitted there. */
  enteredIssuerFirst: may(held),
  /** Accepted classes, in the issuer's words. */
  types: may(texts),
  /** Classes that are not accepted. */
  typesExcept: may(texts),
  /** Valid for so many days after the day of entry. */
  validDaysAfterEntry: may(count(1, 3650)),
  /** Valid for so many days after the last day of the stay; 0: for the whole stay. */
  validDaysAfterExit: may(count(0, 3650)),
  /** It may have expired, less than so many years before the entry. */
  expiredWithinYears: may(count(1, 50)),
  /** What no other field says: a person has to check it. */
  remark: may(text),
} as const satisfies Fields

/** The terms of a rule for a document of another state. The document must be valid on the day of entry, unless a field says otherwise. */
export interface DocumentTerms extends Given<typeof DOCUMENT, never> {}

const document: Kind<DocumentTerms> = record(
  "a document",
  DOCUMENT,
  ({ kind, permanent, multipleEntry, usedBefore, validDaysAfterEntry, validDaysAfterExit, ...terms }, refuse) => {
    if (kind === "visa" && permanent) refuse("permanent", "A visa is never permanent.")
    if (kind === "residence_permit" && (multipleEntry || usedBefore)) {
      refuse(multipleEntry ? "multipleEntry" : "usedBefore", "This applies to a visa only.")
    }
    if (terms.expiredWithinYears !== undefined && (validDaysAfterEntry ?? validDaysAfterExit) !== undefined) {
      refuse("expiredWithinYears", "It cannot have expired and still be valid.")
    }
  },
)

/** Documents, any one of which is enough. */
export const documents = listOf(document, "document")

/** The parameters of each kind. */
const CONDITIONS = {
  /** The rule holds only for holders of one of these documents. */
  held_document: {
    /** The documents, any one of which is enough. */
    held: must(documents),
  },
  /** A registration or authorisation before the journey. */
  registration: {
    /** Its own name. */
    name: must(text),
    /** The page on which it is made. */
    url: may(url),
    /** At least so many hours before the arrival. */
    hoursBefore: may(count(1, 8784)),
    /** What it costs. */
    fee: may(money),
  },
  /** The route leads through these states, which have to admit the traveller. */
  gateway_visa: {
    /** The states; `@BLOC` and `@zone` mean their members. */
    states: must(selectors("destinations")),
    /** How many times they have to admit the traveller. */
    entries: may(count(1, 10)),
  },
  /** These states control the border, and their own rules of entry apply there. */
  border_control: {
    /** The states; `@BLOC` and `@zone` mean their members. */
    states: must(selectors("destinations")),
  },
  /** Another party has to apply for the traveller. */
  sponsor: {
    /** Who may apply. */
    by: must(words(SPONSORS, "sponsor")),
  },
  /** Another document than the passport is used. */
  special_document: {
    /** Its own name. */
    name: must(text),
  },
  /** The law requires it, but these borders do not check it. */
  not_enforced: {
    /** The kinds of border; all if none is named. */
    borders: may(borders),
  },
  /** Who is exempt from a ban. */
  exempt: {
    /** The people who are exempt. */
    who: may(words(EXEMPTIONS, "exemption")),
    /** Holders of visas that were issued before this day are exempt. */
    issuedBefore: may(date),
  },
  /** Some classes of visas are not issued. */
  suspension: {
    /** The classes, in the issuer's own words. */
    visas: must(texts),
  },
  /** A bond that is paid back on leaving in time. */
  bond: {
    /** The amount, or the least one. */
    leastAmount: must(amount),
    /** The most that may be asked for. */
    mostAmount: may(amount),
    /** The currency, by ISO 4217. */
    currency: must(currency),
  },
  /** Only at some places of entry or kinds of border. */
  entry_points: {
    /** The places, by their own names. */
    names: may(texts),
    /** The kinds of border. */
    borders: may(borders),
  },
  /** Only for some purposes of a journey. */
  purpose: {
    /** The purposes for which the rule holds. */
    purposes: must(words(PURPOSES, "purpose")),
  },
  /** Only for groups. */
  group: {
    /** At least so many people. */
    least: must(count(2, 1000)),
  },
  /** What to show besides the passport. */
  bring: {
    /** What has to be shown. */
    proofs: must(words(PROOFS, "proof")),
  },
  /** Only with a passport of some kind. */
  passport_kind: {
    /** What the passport has to be or have, all of it. */
    features: must(words(PASSPORT_FEATURES, "feature")),
  },
  /** Only for people of some ages. */
  age: {
    /** The least age in whole years, included. */
    least: may(count(0, 120)),
    /** The greatest age in whole years, included. */
    most: may(count(0, 120)),
  },
  /** The rule's requirement applies at some kinds of border only. */
  asked_at: {
    /** The kinds of border at which it applies. */
    borders: must(borders),
    /** The requirement at the other kinds. */
    elsewhere: must(requirement),
  },
  /** The same entry is also possible in another way. */
  also: {
    /** What the other way requires. */
    requirement: must(requirement),
    /** When the other way is open, as an English sentence. */
    remark: may(text),
  },
  /** Anything else. */
  other: {
    /** What it is, as an English sentence. */
    text: must(text),
  },
} as const satisfies { readonly [Kind in ConditionKind]: Fields }

/** A condition of a rule, by its kind. */
export type ConditionTerms = Variant<typeof CONDITIONS>

/** Kinds whose parameters are all optional, but of which at least one has to be given. */
const NEED_ONE: readonly ConditionKind[] = ["exempt", "entry_points", "age"]

const conditionOf = <const B extends Fields>(beside: B) =>
  variant(CONDITIONS, beside, (value, fields, refuse) => {
    const given = value as Readonly<Record<string, unknown>>
    const names = Object.keys(fields)
    if (NEED_ONE.includes(value.kind) && names.every(name => given[name] === undefined)) {
      refuse("", `It says nothing: one of ${names.join(", ")} is expected.`)
    }
    const [least, most] = [given.least ?? given.leastAmount, given.most ?? given.mostAmount] as (number | undefined)[]
    if (least !== undefined && most !== undefined && most < least) {
      refuse(given.most === undefined ? "mostAmount" : "most", `It is less than ${least}.`)
    }
  })

/** The source of a condition, where it is another than the rule's. */
const OWN_SOURCE = {
  /** Who says so: an id of `sources.json`, or null. */
  source: may(orNull(source)),
  /** The page that says so, or null. */
  sourceUrl: may(orNull(url)),
} as const

/** A condition without its source. */
export const condition = conditionOf({})
/** A condition of a rule. */
export const ruleCondition = conditionOf(OWN_SOURCE)
/** A condition of a whole policy, which may name passports, days and requirements. */
export const policyCondition = /* @__PURE__ */ (() =>
  conditionOf({
    /** The requirements that it belongs to; all if none is named. */
    requirements: may(requirements),
    /** The first day in force. */
    from: may(orNull(date)),
    /** The first day no longer in force. */
    until: may(orNull(date)),
    ...OWN_SOURCE,
    /** The passports that it is for; all if none is named. */
    passports: may(selectors("passports")),
    /** The passports that it is not for. */
    except: may(selectors("passports")),
  }))()

/** A condition, with its own source where that is another than the rule's. */
export type ConditionFact = ConditionTerms & Given<typeof OWN_SOURCE, never>
