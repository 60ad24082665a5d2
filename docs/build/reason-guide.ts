/** What does each code of a decision mean, and what should the traveller do? A code without its line is a compile error. */
import type { ReasonCode } from "../../src/engine.ts"

/** For each code, where it appears, what it means and what to do. */
const GUIDE: Readonly<Record<ReasonCode, readonly [where: "blocker" | "condition" | "unknown", text: string]>> = {
  no_admission: [
    "blocker",
    "The destination admits nobody with this passport. Use another one, or leave the stop out.",
  ],
  visa_suspended: [
    "blocker",
    "Visas for visitors are not issued to holders of this passport. Use another passport, or leave the stop out; `exempt` says who is exempt.",
  ],
  purpose_not_covered: ["blocker", "The rule is for other purposes. Ask the embassy for a visa for this one."],
  entry_point_closed: [
    "blocker",
    "The rule applies at other borders. Arrive at one of them, or ask the embassy for a visa that is valid at this one.",
  ],
  own_passport_needed: [
    "blocker",
    "The traveller is a citizen there and has to enter on that passport. Use it, and renew it if it has expired.",
  ],
  stay_exceeded: [
    "blocker",
    "The stay is longer than the country or a held document allows. Leave earlier, or obtain a visa for longer.",
  ],
  zone_stay_exceeded: ["blocker", "Too many days in a zone (Schengen, CA-4). Leave earlier, or come back later."],
  passport_expired: ["blocker", "The passport has expired before the arrival. Renew it."],
  passport_validity_short: [
    "blocker",
    "The passport is not valid for as long as required, or was issued too long ago. Renew it.",
  ],
  passport_expires_before_exit: ["blocker", "The passport expires during the stay. Renew it, or leave earlier."],
  transit_not_permitted: ["blocker", "A visa is needed to change there. Change elsewhere, or obtain it."],
  eta: ["condition", "A travel authorisation is needed. Apply before travel."],
  visa_on_arrival: ["condition", "A visa is issued on arrival. Bring the documents for it."],
  e_visa: ["condition", "An electronic visa is needed. Apply before travel."],
  visa_required: ["condition", "A visa is needed; `because` says why a held one is not enough. Apply before travel."],
  held_document: ["condition", "The rule applies only with one of these documents. Bring one, or apply for a visa."],
  registration: [
    "condition",
    "A registration is needed; `name`, `url`, `hours` and the fee say which. Register in time.",
  ],
  gateway_visa: [
    "condition",
    "The route passes through these states. Get the visa that they require, for this many entries.",
  ],
  border_control: ["condition", "These states control the border. Meet their rules too."],
  sponsor: ["condition", "The traveller cannot apply. Ask one of those in `by` to apply."],
  special_document: ["condition", "Bring the document in `name` instead of the passport."],
  not_enforced: ["condition", "The border does not check it. The law still asks for it."],
  exempt: ["condition", "Who is exempt from a ban or a suspension. Bring the proof if it applies to you."],
  suspension: ["condition", "Visas of these classes are not issued. Check whether `exempt` applies to you."],
  bond: ["condition", "A bond may be required with the visa. Have the money ready."],
  entry_points: ["condition", "Entry is possible only there. Choose the place of entry accordingly."],
  asked_at: [
    "condition",
    "The requirement applies at these borders only, and `elsewhere` at others. Give `by` to have it judged.",
  ],
  purpose: ["condition", "The rule is for these purposes. Give `purpose` to have it judged."],
  group: ["condition", "The rule is for groups of at least this many people."],
  bring: ["condition", "Bring these proofs."],
  passport_kind: [
    "condition",
    "The passport must have these features. Look at its cover or ask the issuing authority.",
  ],
  age: ["condition", "The rule is for people of these ages."],
  also: ["condition", "There is another way to get the same entry. Choose one."],
  other: ["condition", "A condition without a code of its own, in English. Read it."],
  check_permitted_stay: ["condition", "Only a table gives the days of this visa. Read the permitted stay on the visa."],
  check_held_document: ["condition", "A held document makes the entry easier if `checks` are met. Check them."],
  visa_instead: [
    "condition",
    "The traveller cannot use the passport's easier entry, because of a stay in a country that the law names, or a nationality. Apply for a visa.",
  ],
  earlier_overstay: [
    "condition",
    "An earlier stay was longer than is allowed today. Ask the authority before travel; an officer may refuse the entry.",
  ],
  check_exemption: [
    "condition",
    "The passport is refused, and a held document may exempt from it. Give `permanent` of the permit, or `issued_on` of the visa.",
  ],
  stay_set_by_permit: ["unknown", "The visa or permit sets the length of the stay. Read it there."],
  stay_not_recorded: ["unknown", "No number of days is recorded. Ask the border authority."],
  stay_moves_freely: ["unknown", "Freedom of movement has no number of days. Nothing has to be done."],
  stay_set_by_document: ["unknown", "The held document sets the length of the stay. Read it there."],
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
    "The zone's days are judged only for stays with a fixed number of days and no visa. Read the visa.",
  ],
  zone_other_stays: ["unknown", "Days under a visa may count in the zone too. Check what each visa was for."],
  zone_unclear_visa: ["unknown", "The class of the visa decides whether its days count. Give it as `type`."],
  zone_own_stay: ["unknown", "The country's own stay is longer than its zone's. Ask the border authority."],
  agreement_may_exceed_zone: [
    "unknown",
    "An agreement may allow a longer stay. Ask the border authority before relying on it.",
  ],
  agreement_exempts: [
    "unknown",
    "An agreement exempts from the zone's limit and gives no number of days. Ask for how long.",
  ],
  agreement_beside_zone: ["unknown", "An agreement allows days in addition to the zone's. Ask how both add up."],
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
    "The passport must be valid beyond the permitted stay, whose length is not known. Look at the visa, or ask its issuer.",
  ],
  no_validity_rule: ["unknown", "No rule of passport validity is recorded. Ask the border authority or the airline."],
  validity_for_visitors: ["unknown", "Rules of validity are for visitors. Nothing has to be done."],
  expiry_not_given: ["unknown", "Give `passport_expiry`."],
  issue_date_not_given: ["unknown", "Give `passport_issued`."],
  no_transit_rule: ["unknown", "No transit rule is recorded. Ask the airline."],
  transit_not_named: ["unknown", "Transit rules are recorded, but none for this passport. Ask the airline."],
  transit_area_not_given: [
    "unknown",
    "Transit is permitted inside the international area only. Give `airside`, and stay inside.",
  ],
  transit_day_not_given: ["unknown", "Transit is not permitted on every day of the journey. Ask about its day."],
  transit_conditional: ["unknown", "The transit visa is required under a condition. Read it, and ask the airline."],
  transit_limits: ["unknown", "Transit is permitted for some hours or under a condition. Make sure that it is met."],
  transit_document_to_check: ["unknown", "A held document may waive the transit visa. Check its terms."],
  transit_visa_to_obtain: ["unknown", "Obtain the visa of the stop first. Then transit is permitted."],
  transit_needs_entry: [
    "unknown",
    "Leaving the international area is an entry. Check its requirements, or stay inside the area.",
  ],
  no_passport_record: ["unknown", "The passport is not in the data. Ask the embassy."],
  passport_kind_not_recorded: [
    "unknown",
    "The passport is not an ordinary one, and there is no rule for its kind. Ask the embassy; rules for ordinary passports do not apply to it.",
  ],
  stay_counted_nowhere: ["unknown", "The earlier stay is in a country that is not in the data."],
  todays_rule: ["unknown", "The earlier stay is older than the zone's rule, and is counted by it nevertheless."],
  not_modelled: ["unknown", "The field is repeated and not judged."],
  no_rule: ["unknown", "Nothing is recorded for this passport there. Ask the embassy."],
  unknown_passport: ["unknown", "The passport is not in the data. Ask the embassy."],
  unknown_destination: ["unknown", "The destination is not in the data. Ask its embassy."],
  before_dataset: ["unknown", "The day is before the first day of the data."],
  before_history: ["unknown", "The day is before the first dated table. Its message names that day."],
  after_history: ["unknown", "The day is after the last dated table and before the first day of the data."],
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
