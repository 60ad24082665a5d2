/** What does each code of a decision mean, and what does the traveller do about it? A code without its line does not compile. */
import type { ReasonCode } from "../../src/engine.ts"

/** For each code, where it stands, what it means and what to do. */
const GUIDE: Readonly<Record<ReasonCode, readonly [where: "blocker" | "condition" | "unknown", text: string]>> = {
  no_admission: [
    "blocker",
    "The destination admits nobody with this passport. Use another one, or leave the stop out.",
  ],
  visa_suspended: [
    "blocker",
    "Visas for visitors are not issued to holders of this passport. Use another passport, or leave the stop out; `exempt` says whom it does not concern.",
  ],
  purpose_not_covered: ["blocker", "The rule is for other purposes. Ask the embassy for a visa for this one."],
  entry_point_closed: [
    "blocker",
    "The rule holds at other borders. Arrive by one of them, or ask the embassy for a visa that is good at this one.",
  ],
  own_passport_needed: [
    "blocker",
    "The traveller is a citizen there and has to enter on that passport. Use it, and renew it where it has expired.",
  ],
  stay_exceeded: [
    "blocker",
    "The stay is longer than the country or a held document allows. Leave earlier, or obtain a visa for longer.",
  ],
  zone_stay_exceeded: ["blocker", "Too many days in a zone (Schengen, CA-4). Leave earlier, or come back later."],
  passport_expired: ["blocker", "The passport has expired before the arrival. Renew it."],
  passport_validity_short: [
    "blocker",
    "The passport does not last as long as is asked, or was issued too long ago. Renew it.",
  ],
  passport_expires_before_exit: ["blocker", "The passport expires during the stay. Renew it, or leave earlier."],
  transit_not_permitted: ["blocker", "A visa is needed to change there. Change elsewhere, or obtain it."],
  eta: ["condition", "A travel authorisation is needed. Apply before travel."],
  visa_on_arrival: ["condition", "A visa is issued on arrival. Bring what it takes."],
  e_visa: ["condition", "An electronic visa is needed. Apply before travel."],
  visa_required: ["condition", "A visa is needed; `because` says why one in hand does not do. Apply before travel."],
  held_document: ["condition", "The rule holds only with one of these documents. Hold one, or ask for a visa."],
  registration: [
    "condition",
    "A registration is needed; `name`, `url`, `hours` and the fee say which. Register in time.",
  ],
  gateway_visa: [
    "condition",
    "The way leads through these states. Have the visa that they ask for, for so many entries.",
  ],
  border_control: ["condition", "These states control the border. Meet their rules too."],
  sponsor: ["condition", "The traveller cannot apply. Have one of those in `by` apply."],
  special_document: ["condition", "Bring the document in `name` instead of the passport."],
  not_enforced: ["condition", "The border does not check it. The law still asks for it."],
  exempt: ["condition", "Whom a ban or a suspension does not concern. Bring the proof if that is you."],
  suspension: ["condition", "Visas of these classes are not issued. Check whether `exempt` concerns you."],
  bond: ["condition", "A bond may be asked for with the visa. Have the money ready."],
  entry_points: ["condition", "Entry is possible only there. Choose the way in accordingly."],
  asked_at: [
    "condition",
    "What is asked is asked at these borders only, and `elsewhere` at others. Give `by` to have it judged.",
  ],
  purpose: ["condition", "The rule is for these purposes. Give `purpose` to have it judged."],
  group: ["condition", "The rule is for groups of at least so many people."],
  bring: ["condition", "Bring these proofs."],
  passport_kind: ["condition", "The passport has to have these features. Look at its cover or ask who issued it."],
  age: ["condition", "The rule is for people of these ages."],
  also: ["condition", "The same entry can also be had in this way. Choose."],
  other: ["condition", "What no other code says, in English. Read it."],
  check_permitted_stay: [
    "condition",
    "Only a table names the days of this visa. Read on the visa how long it permits to stay.",
  ],
  check_held_document: ["condition", "A document in hand makes the entry easier if `checks` hold. Check them."],
  visa_instead: [
    "condition",
    "Something bars the traveller from the easier entry that the passport has: a stay in a country that the law names, or a nationality. Apply for a visa.",
  ],
  earlier_overstay: [
    "condition",
    "An earlier stay was longer than is allowed today. Ask the authority before travel; an officer may refuse the entry.",
  ],
  check_exemption: [
    "condition",
    "The passport is refused, and a document in hand may exempt. Give `permanent` of the permit, or `issued_on` of the visa.",
  ],
  stay_set_by_permit: ["unknown", "The visa or permit says how long one may stay. Read it there."],
  stay_not_recorded: ["unknown", "No number of days is recorded. Ask the border authority."],
  stay_moves_freely: ["unknown", "Freedom of movement names no number of days. Nothing has to be done."],
  stay_set_by_document: ["unknown", "The document in hand says how long one may stay. Read it there."],
  end_not_given: ["unknown", "The last day of the last stop was left out, so the length of the stay is not judged."],
  stay_refused: ["unknown", "Without admission there is no stay."],
  treaty_left: ["unknown", "The entry rests on a treaty that one of the countries has left. Ask the border authority."],
  disputed: [
    "unknown",
    "Sources contradict each other about what is needed; `says` names them. Ask the embassy before booking.",
  ],
  answer_ended: ["unknown", "An earlier rule ended, and nothing newer is recorded. Ask whether it was renewed."],
  answer_changed_since: ["unknown", "An official log names a change that is newer than the answer. Ask the embassy."],
  zone_no_fixed_stay: [
    "unknown",
    "The zone's days are judged for a fixed number of days without a visa only. Read the visa.",
  ],
  zone_other_stays: ["unknown", "Days under a visa may count in the zone too. Check what each visa was for."],
  zone_unclear_visa: ["unknown", "The class of the visa decides whether its days count. Give it as `type`."],
  zone_own_stay: ["unknown", "The country's own stay is longer than its zone's. Ask the border authority."],
  agreement_may_exceed_zone: [
    "unknown",
    "An agreement may allow a longer stay. Ask the border authority before relying on it.",
  ],
  agreement_exempts: ["unknown", "An agreement exempts from the zone's days and names none. Ask for how long."],
  agreement_beside_zone: ["unknown", "An agreement allows days beside the zone's. Ask how both add up."],
  zone_nationals: [
    "unknown",
    "Nationals of the zone's states may stay longer than visitors. Ask the border authority.",
  ],
  validity_not_named: [
    "unknown",
    "The rule of passport validity is recorded for other passports. Ask the border authority or the airline.",
  ],
  permitted_stay_not_known: [
    "unknown",
    "The passport has to outlast the permitted stay, whose length is not known. Look at the visa, or ask who issues it.",
  ],
  no_validity_rule: ["unknown", "No rule of passport validity is recorded. Ask the border authority or the airline."],
  validity_for_visitors: ["unknown", "Rules of validity are for visitors. Nothing has to be done."],
  expiry_not_given: ["unknown", "Give `passport_expiry`."],
  issue_date_not_given: ["unknown", "Give `passport_issued`."],
  no_transit_rule: ["unknown", "No transit rule is recorded. Ask the airline."],
  transit_not_named: ["unknown", "Transit rules are recorded, and none names this passport. Ask the airline."],
  transit_area_not_given: [
    "unknown",
    "The change is permitted inside the international area only. Give `airside`, and stay inside.",
  ],
  transit_day_not_given: ["unknown", "The change is not permitted on every day of the journey. Ask for its day."],
  transit_conditional: ["unknown", "The transit visa is demanded under a condition. Read it, and ask the airline."],
  transit_limits: ["unknown", "The change is permitted for some hours or under a condition. See that it is met."],
  transit_document_to_check: ["unknown", "A document in hand may waive the transit visa. Check what is named."],
  transit_visa_to_obtain: ["unknown", "Obtain the visa of the stop first. Then the change is permitted."],
  transit_needs_entry: [
    "unknown",
    "To leave the international area is an entry. See what it needs, or stay inside the area.",
  ],
  no_passport_record: ["unknown", "The passport is not in the data. Ask the embassy."],
  passport_kind_not_recorded: [
    "unknown",
    "The passport is not an ordinary one, and no rule names its kind there. Ask the embassy; what ordinary passports need says nothing of it.",
  ],
  stay_counted_nowhere: ["unknown", "The earlier stay is in a country that the data does not know."],
  todays_rule: ["unknown", "The earlier stay is older than the zone's rule, and is counted by it all the same."],
  not_modelled: ["unknown", "The field is repeated and not judged."],
  no_rule: ["unknown", "Nothing is recorded for this passport there. Ask the embassy."],
  unknown_passport: ["unknown", "The passport is not in the data. Ask the embassy."],
  unknown_destination: ["unknown", "The destination is not in the data. Ask its embassy."],
  before_dataset: ["unknown", "The day is before the first of the data."],
  before_history: ["unknown", "The day is before the first dated table. Its message names that day."],
  after_history: ["unknown", "The day is after the last dated table and before the first of the data."],
  imported_past: ["unknown", "The answer of a past day comes from dated tables, and nobody checked it for this pair."],
  rule_seen_between: [
    "unknown",
    "Two dated tables around the day differ. `earlier` was last seen on `after`, `later` first on `by`.",
  ],
  stay_seen_between: ["unknown", "Two dated tables around the day differ in the days of stay."],
  past_word: ["unknown", "The tables of that time used a word that does not name one requirement of today."],
  no_rule_of_that_day: ["unknown", "Rules of passport validity and of transit are not recorded for past days."],
  stay_rule_of_today: ["unknown", "The days of a past stay are counted by the stay rule of today."],
}

/** The lines of the reference. */
export const CODE_LINES: readonly string[] = Object.entries(GUIDE).map(
  ([code, [where, text]]) => `| ${where} | \`${code}\` | ${text} |`,
)
