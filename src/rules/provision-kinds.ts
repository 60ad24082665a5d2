/**
 * Which kinds of provisions exist, and what does each say?
 *
 * A provision is a sentence of law about destinations: the passports that it names, the days on which it holds, what it says (the terms of
 * its kind) and who says so. Each kind is declared by one call of {@link table}. Nothing else lists its fields. The kinds of conditions that
 * rules depend on are declared here too. This file knows no country.
 */
import {
  BORDERS,
  BRITISH_CLASSES,
  EXEMPTIONS,
  PASSPORT_FEATURES,
  PASSPORT_KINDS,
  PROOFS,
  PURPOSES,
  REQUIREMENTS,
  SPONSORS,
} from "../codes.ts"
import {
  amount,
  anyText,
  checkRecord,
  code,
  codes,
  count,
  currency,
  date,
  type Field,
  type Fields,
  flag,
  type Given,
  type Kind,
  type Known,
  listOf,
  may,
  money,
  must,
  only,
  orNull,
  type Read,
  type Refuse,
  type Report,
  record,
  selector,
  selectors,
  source,
  table,
  text,
  texts,
  url,
  type Variant,
  variant,
  word,
  words,
  zone,
} from "./table.ts"

// ---- Conditions

// On what does an entry rule depend, besides the passport?
//
// A rule may apply only with a visa of another state, after a registration, through a sponsor, at some airports; a ban may have exceptions.
// Such conditions are data of the rule. Each has a kind from a closed list and the parameters of its kind, so that a program can judge it
// and every language can express it. The kind `other` is an English sentence for everything else.

const requirement = word(REQUIREMENTS)
const requirements = words(REQUIREMENTS, "requirement")
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
const documents = listOf(document, "document")

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
} as const satisfies Readonly<Record<string, Fields>>

/** A condition of a rule, by its kind. */
export type ConditionTerms = Variant<typeof CONDITIONS>

/** The kinds of conditions. */
export const CONDITION_KINDS = /* @__PURE__ */ Object.keys(CONDITIONS) as readonly ConditionKind[]

/** One of the kinds of conditions. */
export type ConditionKind = keyof typeof CONDITIONS

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
const condition = conditionOf({})
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
export type ConditionFact = ConditionTerms & Given<typeof OWN_SOURCE, undefined>

// ---- Provisions

/** The longest span of days that a rule may name. */
const MAX_RULE_DAYS = 3650

const days = count(1, MAX_RULE_DAYS)
/** The longest stay in days that answers have. */
const stay = count(1, 36_500)

/** Who says so. */
const READ = {
  /** Who says so: an id of `sources.json`, or null. */
  source: must({ ...orNull(source), form: "source" as const }),
  /** The page that was read. */
  sourceUrl: must(orNull(url)),
  /** The day on which a person last read it there. */
  verifiedOn: must(orNull(date)),
} as const

/** How well a provision is known, and who says so. */
const PROVENANCE = {
  /** How sure its reading is. */
  confidence: must(word(["high", "medium"])),
  ...READ,
} as const

const destinations = must(codes("destinations"))
const namedPassports = may(codes("passports"))
const note = may(text)
/** A note of the file that no dataset has. */
const aside = { ...note, isAside: true } as const
/** The last fields of most kinds: when, for whom and where a provision holds, and who says so. */
const END = {
  /** The first day in force. */
  from: may(date),
  /** The first day no longer in force. */
  until: may(date),
  ...PROVENANCE,
  /** What a reader should know besides, in English. */
  note,
  /** Where it holds. */
  destinations,
  /** The passports that it names: codes and `@BLOC`; everybody when absent. */
  passports: may(selectors("passports")),
  /** Of these, the passports for which it does not hold. */
  except: may(selectors("passports")),
} as const
const conditions = may(listOf(ruleCondition, "condition", "places"), [] as readonly ConditionFact[])
const forRequirements = may(requirements)

const member = record("a member", {
  code: must(code("destinations")),
  /** First day of membership, or null where it is not recorded. */
  from: must(orNull(date)),
  /** First day no longer a member, or null. */
  until: must(orNull(date)),
  note: may(anyText),
  /** True if only its days count: its visas and permits are not those of the zone. */
  countsOnly: may(flag),
})

/** A country's time in a bloc or zone. */
export type Membership = typeof member extends Kind<infer Value> ? Value : never

export const members = listOf(member, "member", "members")

/**
 * Every kind of provision, by the name of its list in the facts: the file in `data/` that has its records, or the name under which mistakes in them are
 * reported, and its fields. Each zone has a file of its own, changes are claims, and duties are made from facts of destinations: their names, pages and fees
 * are in `landfall/full`, which also names the source.
 */
export const PROVISIONS = {
  /** How long a passport must be valid. */
  validity: table("passport-validity.json", {
    /** The day from which it is counted; `permitted_stay`: the end of the stay that is permitted from the arrival on, however long one stays. */
    anchor: must(word(["arrival", "departure", "permitted_stay"])),
    /** Whole months, then days, for which the passport must be valid after that day; both 0 for validity on the day itself. */
    months: must(count(0, 120)),
    /** Days after the months. */
    days: must(count(0, 120)),
    /** The passport must have been issued less than this many years before the arrival; null if no such rule is known. */
    issuedWithinYears: may(count(1, 120)),
    /** For visits of at most three months it may have expired less than this many years before the departure; null if it may not. */
    expiredWithinYears: may(count(1, 10)),
    /** False where sources differ: what meets the strictest is enough, and whether less is, is not known. A dataset has all in `except` then. */
    isSettled: { ...may(flag), isAside: true as const },
    /** The first day no longer in force, of a rule for some passports; a rule for all holds again from that day on. */
    until: may(date),
    ...PROVENANCE,
    /** A remark for readers of the file. */
    note: aside,
    /** Where it holds. */
    destinations,
    /** The passports for which it is recorded, before a rule for all; all if absent. */
    passports: namedPassports,
    /** Passports for which it is not settled whether a rule for all holds; nothing stricter does. */
    except: namedPassports,
  }),
  /** Who needs a visa in transit. */
  transit: table("transit.json", {
    /** Staying in the international area of an airport, or entering the country. */
    area: must(word(["airside", "landside"])),
    /**
     * What the passports below need for it: a visa, the travel authorisation of the country, or no visa; or what an entry asks of them, because there
     * is no international area or it is asked there too.
     */
    demand: must(word(["visa", "eta", "no_visa", "entry"])),
    /** Longest transit in hours. */
    hours: may(count(1, 2880)),
    /** A further condition of the rule in a few words. */
    condition: may(text),
    /** Documents whose holders need no transit visa; any one is enough. */
    waivedFor: may(documents, [] as readonly DocumentTerms[]),
    /** False where only a part of the list of passports could be read. */
    isComplete: may(flag, true),
    ...PROVENANCE,
    /** A remark for readers of the file. */
    note: aside,
    /** Where it holds. */
    destinations,
    /** The passports that the rule names; all if absent. */
    passports: namedPassports,
  }),
  /** A document of another state makes the entry easier. */
  waivers: table("waivers.json", {
    /** Any one of these documents is enough. */
    held: must(documents),
    /** The requirement with the document. */
    requirement: must(requirement),
    /** Allowed stay in days, or null where it is not a fixed number or not known. */
    days: may(days),
    /** Further conditions. */
    conditions,
    ...END,
  }),
  /** How days of stay add up. */
  stayRules: table("stay-rules.json", {
    /**
     * `beside_zone`: an agreement lets these passports stay beyond a zone's allowance, or exempts them from it; `may_exceed_zone`: it may, at
     * most for its days if they are known.
     */
    kind: must(word(["per_entry", "rolling", "calendar_year", "per_year_of_entry", "beside_zone", "may_exceed_zone"])),
    /** The zone that an agreement is about. */
    zone: may(zone),
    /** The agreement by its name, given with `beside_zone` and `may_exceed_zone`. */
    agreement: may(text),
    /** Days allowed in the span that the kind names; null for the days of the pair's own answer. */
    days: may(days),
    /** The same in whole months, for `per_entry` only. */
    months: may(count(1, 120)),
    /** Length of the rolling window, the day asked about included; given with `rolling`, and with `beside_zone` where days are counted. */
    windowDays: may(count(2, 2 * MAX_RULE_DAYS)),
    /** The longest single visit in days, where it is shorter. */
    visitDays: may(days),
    /** Days that have to be spent outside before a new entry. */
    daysOutside: may(days),
    /** Visits to these start no new stay, for `per_entry` only: a traveller who returns from there has the remaining days of the admission. */
    neighbours: may(codes("destinations")),
    /** The days of a traveller who returns from there after the end of the admission; null for those of a new one. */
    readmissionDays: may(days),
    /** False where the day of the entry is not one of the days, for `per_entry` only. */
    firstDayCounted: may(flag, true),
    /** The requirements for which it applies; any if absent. */
    requirements: forRequirements,
    ...END,
  }),
  /** Open borders, own passports, bars and readmission. */
  borderRules: table("border-rules.json", {
    /**
     * `open_border`: no checks between its destinations and the neighbours, so that going from one to the other is neither leaving nor
     * entering; `own_passport`: citizens enter on the country's own passport, not on those that the rule is about; `bar`: a visa is needed
     * instead of the requirement of the rule's passports; `readmission`: who was admitted on a visa and returns from the neighbours may enter
     * on it again, although it has expired or has no entry left, if the remark applies; `visa_bar`: tourists with these passports are not admitted
     * across it, also not on a visa; the remark says who is admitted for other purposes.
     */
    kind: must(word(["open_border", "own_passport", "bar", "readmission", "visa_bar"])),
    /** The country whose citizens enter on its own passport. */
    citizensOf: may(code("passports")),
    /** False where they are its citizens only, and whether it admits them on another passport is not known. */
    isSettled: may(flag, true),
    /** The destinations on the other side of the border. */
    neighbours: may(codes("destinations")),
    /** A bar is for travellers who were present in these on or after the day. */
    present: may(codes("destinations")),
    /** The day since which presence counts. */
    since: may(date),
    /** A bar is for nationals of these; a readmission is not. */
    nationals: may(codes("destinations")),
    /** The longest visit before a readmission. */
    days: may(count(1, 365)),
    /** What else a readmission depends on, or who is exempt from a bar. */
    remark: may(text),
    /** Where the own passport is asked for; at every border if absent. */
    borders: may(words(BORDERS, "border")),
    /** The requirements for which it applies; any if absent. */
    requirements: forRequirements,
    ...END,
  }),
  /** What other kinds of passports need. */
  kindRules: table("passport-kinds.json", {
    /** The kinds of passports; `ordinary` for the British classes only. */
    kinds: must(words(PASSPORT_KINDS, "kind")),
    /** What they need. */
    requirement: must(requirement),
    /** Allowed stay in days, or null where it is not a fixed number or not known. */
    days: may(days),
    /** Given where the holder moves freely, as a citizen does. */
    basis: may(word(["freedom_of_movement"])),
    /** True where it holds only for those who live in the state that issued the document. */
    residents: may(flag, false),
    /** Only where the issuer's ordinary passports need one of these. */
    requirements: forRequirements,
    ...END,
  }),
  /** The classes of visas, permits and travel authorisations. */
  classes: table("document-classes.json", {
    kind: must(word(["visa", "residence_permit", "eta"])),
    /**
     * The classes as the issuer writes them. The first is A, C or D where it is what the Visa Code calls so: airport transit, a short or a long
     * stay. A visa of no named class counts as the issuer's first one in the file that is neither A nor D.
     */
    types: must(texts),
    /** Whether the classes of this kind that are recorded for the issuer are all that the law has. */
    isComplete: may(flag, false),
    /** What the holder has in hand: a sticker in the passport, a card, or nothing that can be shown; absent where both are issued or nobody says so. */
    form: may(word(["foil", "card", "electronic"])),
    /** Who sets the days of a stay: the law for everybody, an officer on arrival, or the visa itself. */
    setBy: may(word(["law", "officer", "visa"])),
    /** The days for which an officer admits at least. */
    least: may(stay),
    /** The days for which anybody is admitted at most; null if nobody says so. */
    most: may(stay),
    /** For what alone it is issued; absent for visits of every kind, or where it is not known. */
    purposes: may(words(PURPOSES, "purpose")),
    /** Whether it is issued for biometric passports only. */
    isBiometric: may(flag, false),
    /** How sure its reading is, for readers of the file. */
    confidence: { ...PROVENANCE.confidence, isAside: true },
    ...READ,
    /** A remark for readers of the file. */
    note: aside,
    /** The states that issue them. */
    destinations,
  }),
  /** How long the passports of a state are valid at most, and since when all are biometric. */
  lifetimes: table("passport-lifetimes.json", {
    /** The longest time in whole months for which these states issue ordinary passports. */
    months: must(count(1, 600)),
    /** The first day from which no valid one was issued without a chip; null if it is not recorded. */
    biometricSince: may(date),
    ...PROVENANCE,
    /** A remark for readers of the file. */
    note: aside,
    /** The states that issue them. */
    destinations,
  }),
  /** Destinations that share one stay allowance. */
  zones: table("zones", {
    /** Its name in other files. */
    id: must(text),
    /** Its name for readers. */
    name: must(text),
    /** The law, with its article; or null. */
    instrument: must(orNull(text)),
    /** `rolling`: days in any window of days; `single-permission`: days from an entry until leaving the zone. */
    kind: must(word(["rolling", "single-permission"])),
    /** Days of presence allowed. */
    allowanceDays: must(days),
    /** Length of the rolling window in days; none for a single permission. */
    windowDays: may(count(2, 2 * MAX_RULE_DAYS)),
    ...READ,
    /** A remark for readers of the file. */
    note: { ...may(anyText), isAside: true as const },
    /** The destinations that share the allowance, each with its days. */
    members: must(members),
  }),
  /** An official log says that entry rules changed on a day. */
  changeLog: table("change-log", {
    /** The day of the change. */
    on: must(date),
    /** The text of the notice, in its own words. */
    change: must(anyText),
    ...READ,
    /** Where the rules changed. */
    destinations,
    /** The passports that it concerns: codes and `@BLOC`; everybody when absent. */
    passports: may(selectors("passports")),
  }),
  /** What is asked of visitors beside the requirement. */
  duties: table("destinations", {
    /**
     * `form`: a form for the arrival, filled in online before it; `paper`: one that is handed out on the way or on arrival; `insurance`: a law asks
     * for it; `announced`: an authorisation that is announced for those who need none now; `registered`: the Entry/Exit System of the Schengen area;
     * `vaccination`: a certificate of vaccination against yellow fever; `check_vaccination`: the same where it depends on more than the country of
     * departure.
     */
    kind: must(word(["form", "paper", "insurance", "announced", "registered", "vaccination", "check_vaccination"])),
    /** How many days before the arrival a form can be filled in at the earliest. */
    days: may(days),
    /** What a form is called, where a destination asks for another one too. */
    name: may(text),
    /** The age in months from which a certificate is asked for. */
    months: may(count(1, 120)),
    /** The countries from which a traveller comes who has to show a certificate; any if absent. */
    countries: may(codes("destinations")),
    /** Whether those who move freely or come home do it too. */
    everybody: may(flag, false),
    /** The first day on which what is announced can be required. */
    from: may(date),
    /** The requirements for which it is asked; any if absent. */
    requirements: forRequirements,
    destinations,
    /** The passports that it names; everybody when absent. */
    passports: namedPassports,
    /** Of these, the passports of which it is not asked. */
    except: namedPassports,
  }),
} as const

/** A kind of provision, by the name of its list in the facts. */
export type ProvisionKind = keyof typeof PROVISIONS
type FieldsOf<K extends ProvisionKind> = (typeof PROVISIONS)[K]["fields"]

/** A provision as the facts give it. */
export type ProvisionFact<K extends ProvisionKind> = Given<FieldsOf<K>>

/** A kind of provision that has a file. */
export type FiledKind = {
  [K in ProvisionKind]: (typeof PROVISIONS)[K]["file"] extends `${string}.json` ? K : never
}[ProvisionKind]

const KINDS = /* @__PURE__ */ Object.keys(PROVISIONS) as readonly ProvisionKind[]

/** The kinds that have a file each, in the order in which they are checked. */
export const PROVISION_KINDS = /* @__PURE__ */ KINDS.filter((of): of is FiledKind =>
  PROVISIONS[of].file.endsWith(".json"),
)

/** What the fields of a provision may not be together. A program that only reads a file needs none of these rules. */
const BETWEEN: { readonly [K in ProvisionKind]?: (value: ProvisionFact<K>, refuse: Refuse) => void } = {
  validity: ({ anchor, months, isSettled, until, passports, except }, refuse) => {
    if (until != null && passports == null) refuse("until", "Only a rule for some passports ends.")
    if (anchor === "permitted_stay" && months > 0) refuse("months", "After the permitted stay, days are counted.")
    if (passports != null && (except ?? isSettled) != null) {
      refuse(except == null ? "isSettled" : "except", "A rule for all has exceptions, one for some has none.")
    }
  },
  transit: ({ waivedFor, demand }, refuse) => {
    if (waivedFor != null && demand !== "visa") {
      refuse("waivedFor", "Only a rule that demands a visa can be waived.")
    }
  },
  waivers: ({ requirement: asked, days: allowed }, refuse) => {
    if (asked === "no_admission") refuse("requirement", "A waiver cannot refuse admission.")
    if (allowed != null && asked === "visa_required") {
      refuse("days", `${asked} allows no stay that could be counted in days.`)
    }
  },
  stayRules: checkStay,
  zones: checkZone,
  borderRules: checkBorder,
  kindRules: ({ kinds, passports, basis, requirement: asked, days: allowed }, refuse) => {
    if (kinds.includes("ordinary") && passports?.every(each => BRITISH_CLASSES.includes(each)) !== true) {
      const classes = BRITISH_CLASSES.join(", ")
      refuse("passports", `A rule for ordinary passports names classes of British nationals only: ${classes}.`)
    }
    if (basis != null && (asked !== "visa_free" || allowed != null)) {
      refuse("basis", "Freedom of movement needs no visa and has no days.")
    }
  },
  classes: ({ least, most, setBy }, refuse) => {
    if (least != null && most != null && least > most) refuse("most", "It is less than the least.")
    if (least != null && setBy !== "officer") refuse("least", "Only an officer admits for at least so many days.")
    if (setBy === "law" && most == null) refuse("most", "It is missing: the law sets it.")
  },
}

/** Reports every mistake in a provision; `place` is put before the name of each field. */
export function checkProvision(of: ProvisionKind, value: unknown, place: string, report: Report, known: Known): void {
  checkRecord(PROVISIONS[of].fields, value, place, report, known, BETWEEN[of] as (value: never, refuse: Refuse) => void)
}

/** What a rule of a policy says for its passports. */
const TERMS = /* @__PURE__ */ (() => ({
  requirement: must(requirement),
  /** Allowed stay in days; null when it is not a fixed number or not known. */
  days: must(orNull(days)),
  /** First day in force, or null when it is not recorded. */
  from: must(orNull(date)),
  /** First day no longer in force, or null. */
  until: must(orNull(date)),
  /** `home` and `follows` are derived and cannot be written in a rule. */
  basis: must(orNull(word(["home", "freedom_of_movement", "follows"]))),
  /** The bloc whose treaty is the basis; given exactly with `freedom_of_movement`. */
  bloc: must(orNull(anyText)),
  source: READ.source,
  sourceUrl: may(orNull(url)),
  verifiedOn: READ.verifiedOn,
  conditions: may(listOf(ruleCondition, "condition")),
  /** Notes for readers, in English. */
  note: may(orNull(anyText)),
}))()

/** The terms of a rule for its passports. */
export type Terms = Given<typeof TERMS, never>

/** The fields of a policy's rules: of those for passports that no rule names, and of those for some. */
export const RULES = /* @__PURE__ */ (() => ({
  defaults: TERMS,
  rules: { ...TERMS, passports: must(listOf(selector("passports"), "passport or @bloc")) },
}))()

/** The statements of a second source about a destination's passports. */
export const secondSource = /* @__PURE__ */ (() =>
  record("a second source", {
    source: must(source),
    sourceUrl: must(orNull(url)),
    /** The day on which that source read the page. */
    checkedOn: must(date),
    /** Its answers, by passports. One of them may leave out `passports`: it covers all that are not named elsewhere. */
    says: must(
      listOf(
        record("an answer", {
          requirement: must(requirement),
          days: must(orNull(days)),
          passports: may(selectors("passports")),
        }),
        "answer",
        undefined,
        0,
      ),
    ),
    /** Passports that it does not mention. */
    silent: may(selectors("passports")),
    /** Why our answer stands if the two differ; `open` if nothing decides between them, which may have no reason of its own. */
    reasons: may(
      listOf(
        record("a reason", {
          passports: must(selectors("passports")),
          reason: must(orNull(anyText)),
          open: may(only(true)),
        }),
        "reason",
      ),
    ),
  }))()

/** The statements of a second source about a destination's passports. */
export type CheckFacts = typeof secondSource extends Kind<infer Value> ? Value : never

/** What a dataset has besides provisions: what the compiler makes of rules, policies, second sources and blocs. */
const COMPILED = {
  /** Conditions, which other lists name by their places. */
  conditions: { terms: must(condition), source: READ.source, sourceUrl: READ.sourceUrl },
  /** What the rule that decides has besides its answer, and the rule that ended before it, on a stretch of days. */
  rules: {
    conditions,
    /** The rule's own first day, and its announced first day no longer in force. */
    begins: may(date),
    ends: may(date),
    /** The last day of the rule that ended before, its requirement and days. */
    endedOn: may(date),
    endedRequirement: may(requirement),
    endedDays: may(stay),
    from: END.from,
    until: END.until,
    destinations,
    passports: END.passports,
  },
  /** Notes on the rules that decide, and on whole policies; the page that was read. */
  notes: {
    note: may(anyText),
    sourceUrl: may(anyText),
    from: END.from,
    until: END.until,
    destinations,
    passports: END.passports,
  },
  /** A condition of a whole policy, whichever of its rules decides. */
  policyConditions: {
    conditions,
    requirements: forRequirements,
    from: END.from,
    until: END.until,
    destinations,
    passports: END.passports,
    except: END.except,
  },
  /** What a second source says of some passports; no requirement if it says the same as the dataset on that day. */
  checks: {
    /** Tells the statements of one source from those of another: 0 for the latest. */
    check: must(count(0, 1000)),
    checkedOn: must(date),
    requirement: may(requirement),
    days: may(stay),
    /** The source does not say anything of these passports. */
    isSilent: may(flag, false),
    /** Nothing decides between the two. */
    isOpen: may(flag, false),
    /** Why our answer stands; or what contradicts what. */
    reason: may(anyText),
    source: READ.source,
    sourceUrl: READ.sourceUrl,
    destinations,
    passports: END.passports,
  },
  /** The blocs that scopes name. */
  blocs: { id: must(text), members: must(members) },
  /** The blocs and zones that conditions name, with the codes of their members on the dataset's day. */
  sets: { selector: must(text), codes: must(anyText) },
} as const

type Lists = typeof COMPILED & { readonly [K in ProvisionKind]: FieldsOf<K> }
/** A list of a dataset. */
export type ListName = keyof Lists

/** A row as the compiler gives it to a list of a dataset. */
export type ListFact<K extends ListName> = Given<Lists[K]>

/** The fields of a row as a dataset has them, with the value of each that the facts leave out. */
export type ListFields<K extends ListName> = Read<Lists[K]>

/** The names of all lists, in the order in which they are written. */
export const LIST_NAMES = [...Object.keys(COMPILED), ...KINDS] as readonly ListName[]

/** The fields of a list that a dataset has, by name. */
export const listFields = (of: ListName): readonly (readonly [name: string, Field<unknown>])[] =>
  Object.entries<Field<unknown>>(
    of in PROVISIONS ? PROVISIONS[of as ProvisionKind].fields : COMPILED[of as "sets"],
  ).filter(([, field]) => !("isAside" in field))

/** The fields of a list in a dataset, each as its name and, after a colon, the form of its cells, if they are to be read. */
export const writeFields = (of: ListName, fields = listFields(of)): string =>
  fields
    .map(([name, { is }]) => (is.form === undefined || is.form === "source" ? name : `${name}:${is.form}`))
    .join(" ")

const ZONE_AGREEMENTS: readonly string[] = ["beside_zone", "may_exceed_zone"]

/** Says whether a stay rule is an agreement beside a zone's rule. */
export const isAgreement = ({ kind }: Pick<ProvisionFact<"stayRules">, "kind">): boolean =>
  ZONE_AGREEMENTS.includes(kind)

function checkStay(rule: ProvisionFact<"stayRules">, refuse: Refuse): void {
  const { kind, days: allowed, months, windowDays, visitDays, daysOutside, neighbours, readmissionDays } = rule
  const refuseUnless = (isRight: boolean, field: string, message: string) => {
    if (!isRight) refuse(field, message)
  }
  refuseUnless(
    windowDays == null
      ? kind !== "rolling"
      : (kind === "rolling" || (kind === "beside_zone" && allowed != null)) && windowDays > (allowed ?? 1),
    "windowDays",
    "A rolling rule has a window longer than its days; calendar years and entries have none.",
  )
  refuseUnless(
    months == null || (kind === "per_entry" && allowed == null),
    "months",
    "Months are given for per_entry only, instead of days.",
  )
  refuseUnless(
    daysOutside == null || kind === "per_entry",
    "daysOutside",
    "Days outside before a new entry are given for per_entry only.",
  )
  refuseUnless(
    visitDays == null || (kind !== "per_entry" && (allowed == null || visitDays <= allowed)),
    "visitDays",
    "The longest visit is not longer than all days together, and for per_entry it is the days themselves.",
  )
  const isPlainEntry = kind === "per_entry" && months == null && daysOutside == null
  refuseUnless(
    neighbours == null || (isPlainEntry && !neighbours.some(each => rule.destinations.includes(each))),
    "neighbours",
    "Neighbours are other destinations, named for per_entry only, without months and days outside.",
  )
  refuseUnless(
    readmissionDays == null || neighbours != null,
    "readmissionDays",
    "Days of a readmission are given with the neighbours that it is from.",
  )
  refuseUnless(
    rule.firstDayCounted !== false || isPlainEntry,
    "firstDayCounted",
    "That the first day does not count is said for per_entry only, without months and days outside.",
  )
  for (const field of ["zone", "agreement"] as const) {
    const isGiven = rule[field] != null
    const name = `${field === "zone" ? "A" : "An"} ${field}`
    refuseUnless(isGiven || !isAgreement(rule), field, `${name} is named by ${kind}.`)
    refuseUnless(!isGiven || isAgreement(rule), field, `${name} is named by ${ZONE_AGREEMENTS.join(" and ")} only.`)
  }
}

/** The parameters of each kind of border rule; a question mark after those that it may leave out. */
const BORDER_PARAMETERS: { readonly [Kind in ProvisionFact<"borderRules">["kind"]]: string } = {
  open_border: "neighbours",
  own_passport: "citizensOf isSettled? borders?",
  bar: "present? since? nationals?",
  readmission: "neighbours days remark nationals?",
  visa_bar: "remark",
}

function checkBorder(rule: ProvisionFact<"borderRules">, refuse: Refuse): void {
  const parameters = BORDER_PARAMETERS[rule.kind].split(" ")
  const all = "citizensOf isSettled neighbours present since nationals days remark borders".split(
    " ",
  ) as (keyof typeof rule)[]
  for (const name of all) {
    if (rule[name] == null && parameters.includes(name)) refuse(name, "It is missing.")
    const isKnown = parameters.includes(name) || parameters.includes(`${name}?`)
    if (rule[name] != null && !isKnown) refuse(name, `A rule of kind ${rule.kind} has no such field.`)
  }
  if (rule.kind !== "bar") return
  if (rule.present == null && rule.nationals == null) refuse("present", "It is missing.")
  if ((rule.present == null) !== (rule.since == null)) refuse("since", "Presence is given with the day.")
  if (rule.passports != null) refuse("passports", "A bar names no passports: it is about the traveller.")
}

/** Says whether a zone's rule can be broken. A window that is not longer than the allowance is a typing error, not a permission to stay for ever. */
export const canBeBroken = ({ kind, allowanceDays, windowDays = null }: ProvisionFact<"zones">): boolean =>
  kind === "rolling" ? windowDays !== null && windowDays > allowanceDays : windowDays === null

function checkZone(zone: ProvisionFact<"zones">, refuse: Refuse): void {
  if (canBeBroken(zone)) return
  refuse("windowDays", "A rolling rule has a window longer than its allowance, a single permission none.")
}
