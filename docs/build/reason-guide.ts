/** What does each code of a decision mean, and what should the traveller do? A code without its line is a compile error. */
import type { ReasonCode } from "../../src/engine.ts"

/** For each code, what it means and what to do. */
const BLOCKERS = {
  no_admission: "The destination admits nobody with this passport. Use another one, or leave the stop out.",
  visa_suspended:
    "Visas for visitors are not issued to holders of this passport. Use another passport, or leave the stop out; `exempt` says who is exempt.",
  purpose_not_covered: "The rule is for other purposes. Ask the embassy for a visa for this one.",
  entry_point_closed:
    "The rule applies at other borders. Arrive at one of them, or ask the embassy for a visa that is valid at this one.",
  own_passport_needed:
    "The traveller is a citizen there and has to enter on that passport. Use it, and renew it if it has expired.",
  stay_exceeded:
    "The stay is longer than the country or a held document allows. Leave earlier, or obtain a visa for longer.",
  zone_stay_exceeded: "Too many days in a zone (Schengen, CA-4). Leave earlier, or come back later.",
  passport_expired: "The passport has expired before the arrival. Renew it.",
  passport_validity_short: "The passport is not valid for as long as required, or was issued too long ago. Renew it.",
  passport_expires_before_exit: "The passport expires during the stay. Renew it, or leave earlier.",
  transit_not_permitted: "A visa is needed to change there. Change elsewhere, or obtain it.",
} as const satisfies Partial<Record<ReasonCode, string>>

const CONDITIONS = {
  eta: "A travel authorisation is needed. Apply before travel.",
  visa_on_arrival: "A visa is issued on arrival. Bring the documents for it.",
  e_visa: "An electronic visa is needed. Apply before travel.",
  visa_required: "A visa is needed; `because` says why a held one is not enough. Apply before travel.",
  held_document: "The rule applies only with one of these documents. Bring one, or apply for a visa.",
  registration: "A registration is needed; `name`, `url`, `hours` and the fee say which. Register in time.",
  gateway_visa: "The route passes through these states. Get the visa that they require, for this many entries.",
  border_control: "These states control the border. Meet their rules too.",
  sponsor: "The traveller cannot apply. Ask one of those in `by` to apply.",
  special_document: "Bring the document in `name` instead of the passport.",
  not_enforced: "The border does not check it. The law still asks for it.",
  exempt: "Who is exempt from a ban or a suspension. Bring the proof if it applies to you.",
  suspension: "Visas of these classes are not issued. Check whether `exempt` applies to you.",
  bond: "A bond may be required with the visa. Have the money ready.",
  entry_points: "Entry is possible only there. Choose the place of entry accordingly.",
  asked_at: "The requirement applies at these borders only, and `elsewhere` at others. Give `by` to have it judged.",
  purpose: "The rule is for these purposes. Give `purpose` to have it judged.",
  group: "The rule is for groups of at least this many people.",
  bring: "Bring these proofs.",
  arrival_form:
    "Fill in the form online before the arrival, not before the day in `opens`. In `to_do` it has its name and page.",
  arrival_form_paper: "Fill in the form that is handed out. Nothing has to be done before travel.",
  insurance: "Take out travel medical insurance for the whole stay, and bring the proof.",
  authorisation_announced:
    "An authorisation is announced, and cannot be required before the day in `from`. From that day on, check whether it is.",
  own_passport:
    "The traveller is a citizen there, and the country recognises no other nationality. Use its passport, or ask its embassy.",
  passport_kind: "The passport must have these features. Look at its cover or ask the issuing authority.",
  age: "The rule is for people of these ages.",
  also: "There is another way to get the same entry. Choose one.",
  other: "A condition without a code of its own, in English. Read it.",
  check_permitted_stay: "Only a table gives the days of this visa. Read the permitted stay on the visa.",
  check_held_document: "A held document makes the entry easier if `checks` are met. Check them.",
  visa_instead:
    "The traveller cannot use the passport's easier entry, because of a stay in a country that the law names, or a nationality. Apply for a visa.",
  earlier_overstay:
    "An earlier stay was longer than is allowed today. Ask the authority before travel; an officer may refuse the entry.",
  check_exemption:
    "The passport is refused, and a held document may exempt from it. Give `permanent` of the permit, or `issued_on` of the visa.",
} as const satisfies Partial<Record<ReasonCode, string>>

const UNKNOWNS = {
  stay_set_by_permit: "The visa or permit sets the length of the stay. Read it there.",
  stay_not_recorded: "No number of days is recorded. Ask the border authority.",
  stay_moves_freely: "Freedom of movement has no number of days. Nothing has to be done.",
  stay_set_by_document: "The held document sets the length of the stay. Read it there.",
  end_not_given: "The last day of the last stop was left out, so the length of the stay is not judged.",
  stay_refused: "Without admission there is no stay.",
  treaty_left: "The entry rests on a treaty that one of the countries has left. Ask the border authority.",
  disputed:
    "Sources contradict each other about what is needed; `says` names them. If both answers have one outcome, it is given. Otherwise ask the embassy before booking.",
  answer_ended: "An earlier rule ended, and nothing newer is recorded. Ask whether it was renewed.",
  answer_changed_since: "An official log names a change that is newer than the answer. Ask the embassy.",
  zone_no_fixed_stay:
    "The zone's days are judged only for stays with a fixed number of days and no visa. Read the visa.",
  zone_other_stays: "Days under a visa may count in the zone too. Check what each visa was for.",
  zone_unclear_visa: "The class of the visa decides whether its days count. Give it as `type`.",
  zone_own_stay: "The country's own stay is longer than its zone's. Ask the border authority.",
  agreement_may_exceed_zone: "An agreement may allow a longer stay. Ask the border authority before relying on it.",
  agreement_exempts: "An agreement exempts from the zone's limit and gives no number of days. Ask for how long.",
  agreement_beside_zone: "An agreement allows days in addition to the zone's. Ask how both add up.",
  zone_nationals: "Nationals of the zone's states may stay longer than visitors. Ask the border authority.",
  validity_not_named:
    "The rule of passport validity is recorded for other passports. Ask the border authority or the airline.",
  permitted_stay_not_known:
    "The passport must be valid beyond the permitted stay, whose length is not known. Look at the visa, or ask its issuer.",
  no_validity_rule: "No rule of passport validity is recorded. Ask the border authority or the airline.",
  validity_for_visitors: "Rules of validity are for visitors. Nothing has to be done.",
  expiry_not_given: "Give `passport_expiry`.",
  issue_date_not_given: "Give `passport_issued`.",
  no_transit_rule: "No transit rule is recorded. Ask the airline.",
  transit_not_named: "Transit rules are recorded, but none for this passport. Ask the airline.",
  transit_area_not_given: "Transit is permitted inside the international area only. Give `airside`, and stay inside.",
  transit_day_not_given: "Transit is not permitted on every day of the journey. Ask about its day.",
  transit_conditional: "The transit visa is required under a condition. Read it, and ask the airline.",
  transit_limits: "Transit is permitted for some hours or under a condition. Make sure that it is met.",
  transit_document_to_check: "A held document may waive the transit visa. Check its terms.",
  transit_visa_to_obtain: "Obtain the visa of the stop first. Then transit is permitted.",
  transit_needs_entry: "Leaving the international area is an entry. Check its requirements, or stay inside the area.",
  no_passport_record: "The passport is not in the data. Ask the embassy.",
  passport_kind_not_recorded:
    "The passport is not an ordinary one, and there is no rule for its kind. Ask the embassy; rules for ordinary passports do not apply to it.",
  stay_counted_nowhere: "The earlier stay is in a country that is not in the data.",
  todays_rule: "The earlier stay is older than the zone's rule, and is counted by it nevertheless.",
  not_modelled: "Nothing that was decided depends on the field. Nothing has to be done.",
  no_rule: "Nothing is recorded for this passport there. Ask the embassy.",
  unknown_passport: "The passport is not in the data. Ask the embassy.",
  unknown_destination: "The destination is not in the data. Ask its embassy.",
  before_dataset: "The day is before the first day of the data.",
  before_history: "The day is before the first dated table. Its message names that day.",
  after_history: "The day is after the last dated table and before the first day of the data.",
  imported_past: "The answer of a past day comes from dated tables, and nobody checked it for this pair.",
  rule_seen_between:
    "Two dated tables around the day differ. `earlier` was last seen on `after`, `later` first on `by`.",
  stay_seen_between: "Two dated tables around the day differ in the days of stay.",
  past_word: "The tables of that time used a word that does not name one requirement of today.",
  no_rule_of_that_day: "Rules of passport validity and of transit are not recorded for past days.",
  stay_rule_of_today: "The days of a past stay are counted by the stay rule of today.",
} as const satisfies Partial<Record<ReasonCode, string>>

const TEXTS: Readonly<Record<ReasonCode, string>> = { ...BLOCKERS, ...CONDITIONS, ...UNKNOWNS }

const linesOf = (where: "blocker" | "condition" | "unknown", texts: object) =>
  (Object.keys(texts) as ReasonCode[]).map(code => `| ${where} | \`${code}\` | ${TEXTS[code]} |`)

export const CODE_LINES: readonly string[] = [
  ...linesOf("blocker", BLOCKERS),
  ...linesOf("condition", CONDITIONS),
  ...linesOf("unknown", UNKNOWNS),
]
