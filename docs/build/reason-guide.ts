/** What does each code of a decision mean, and what should the traveller do? A code without its line is a compile error. */
import type { ReasonCode } from "../../src/engine.ts"

/** For each code, what it means and what to do. */
const BLOCKERS = {
  no_admission: "Nobody is admitted with this passport. Use another one, or leave the stop out.",
  visa_suspended: "Visas are not issued to holders of this passport. Use another one; `exempt` says who is exempt.",
  purpose_not_covered: "The rule is for other purposes. Ask the embassy for a visa.",
  entry_point_closed: "The rule applies at other borders. Arrive there, or ask the embassy.",
  own_passport_needed: "Citizens have to enter on that country's passport. Use it, and renew it if it has expired.",
  barred: "No tourists with this passport are admitted at the border. Leave the stop out, or give another `purpose`.",
  stay_exceeded: "The stay is longer than allowed. Leave earlier, or obtain a visa for longer.",
  zone_stay_exceeded:
    "Too many days in a zone (Schengen, CA-4). Leave earlier, come back later, or ask for an extension under the named agreement.",
  passport_expired: "The passport expires before the arrival. Renew it.",
  passport_validity_short: "The passport is not valid for long enough, or was issued too long ago. Renew it.",
  passport_expires_before_exit: "The passport expires during the stay. Renew it, or leave earlier.",
  transit_not_permitted:
    "A visa is needed to change there, or the passport does not allow the entry. Obtain it, or change elsewhere.",
} as const satisfies Partial<Record<ReasonCode, string>>

const CONDITIONS = {
  eta: "Apply for a travel authorisation before travel.",
  visa_on_arrival: "A visa is issued on arrival. Bring the documents for it.",
  e_visa: "Apply for an electronic visa before travel.",
  visa_required: "A visa is needed; `because` says why a held one is not enough.",
  held_document: "The rule applies only with one of these documents.",
  registration: "Register in time; `name`, `url`, `hours` and the fee say where.",
  gateway_visa: "The route passes through these states. Get their visa, for this many entries.",
  border_control: "These states control the border. Meet their rules too.",
  sponsor: "The traveller cannot apply. Ask one of those in `by`.",
  special_document: "Bring the document in `name` instead of the passport.",
  not_enforced: "The law asks for it, but the border does not check it.",
  exempt: "Who is exempt from a ban. Bring the proof.",
  suspension: "Visas of these classes are not issued. Check `exempt`.",
  bond: "A bond may be required with the visa.",
  entry_points: "Entry is possible only there.",
  asked_at: "The requirement applies at these borders only, and `elsewhere` at others. Give `by`.",
  purpose: "The rule is for these purposes. Give `purpose`.",
  group: "The rule is for groups of at least this many people.",
  bring: "Bring these proofs.",
  arrival_form: "Fill in the form online, not before the day in `opens`; `to_do` has its page.",
  entry_exit_system: "The border registers face and fingerprints (EES). Nothing has to be done before.",
  arrival_form_paper: "Fill in the form that is handed out on arrival.",
  insurance: "Take out travel medical insurance for the whole stay.",
  vaccination: "Bring a certificate of vaccination against yellow fever, from the age of `months`.",
  check_vaccination:
    "The certificate is needed on a journey from or through `country`. Give `residence`; otherwise the passport's country is assumed.",
  authorisation_announced:
    "An authorisation is announced. It cannot be required before the day in `from`: check then whether it is.",
  own_passport:
    "A citizen there, whose other nationality the country does not recognise. Use its passport, or ask its embassy.",
  expired_accepted: "The country accepts the expired passport. Ask the carrier.",
  residents_only: "The rule is for people who live where the document was issued. Give `residence`.",
  passport_kind: "The passport must have these features. Look at its cover.",
  age: "The rule is for people of these ages.",
  also: "There is another way to get the same entry.",
  other: "A condition in English. Read it.",
  check_permitted_stay: "Only a table gives the days of this visa. Read them on the visa.",
  check_held_document: "A held document makes the entry easier if `checks` are met.",
  visa_instead: "The passport's easier entry is closed, because of an earlier stay or a nationality. Apply for a visa.",
  earlier_overstay: "An earlier stay was longer than is allowed today. Ask the authority.",
  check_exemption:
    "A held document may exempt from the refusal. Give `permanent` of the permit, or `issued_on` of the visa.",
} as const satisfies Partial<Record<ReasonCode, string>>

const UNKNOWNS = {
  stay_set_by_permit: "The visa or permit sets the length of the stay. Read it there.",
  stay_not_recorded: "No number of days is recorded. Ask the border authority.",
  stay_moves_freely: "Freedom of movement has no number of days.",
  stay_set_by_document: "The held document sets the length of the stay. Read it there.",
  end_not_given: "The length of the stay is not judged.",
  stay_refused: "Without admission there is no stay.",
  treaty_left: "One of the countries has left the treaty. Ask the border authority.",
  disputed: "Sources contradict each other; `says` names them. Ask the embassy.",
  answer_ended: "A rule ended, and nothing newer is recorded. Ask whether it was renewed.",
  answer_changed_since: "An official log names a newer change. Ask the embassy.",
  zone_no_fixed_stay: "The zone's days are judged only for stays with a fixed number of days. Read the visa.",
  zone_other_stays: "Days under a visa may count in the zone too. Check what each visa was for.",
  zone_unclear_visa: "The visa's class decides whether its days count. Give `type`.",
  zone_own_stay: "The country's own stay is longer than its zone's. Ask the border authority.",
  zone_nationals: "Nationals of the zone's states may stay longer. Ask the border authority.",
  validity_not_named: "Passport validity is recorded for other passports only. Ask the airline.",
  permitted_stay_not_known:
    "The passport must be valid beyond the permitted stay, which is not known. Look at the visa.",
  purpose_not_recorded: "No rule names this purpose. Ask the embassy.",
  no_validity_rule: "No rule of passport validity is recorded. Ask the airline.",
  validity_for_visitors: "Rules of validity are for visitors. Nothing has to be done.",
  expiry_not_given: "Give `passport_expiry`.",
  issue_date_not_given: "Give `passport_issued`.",
  no_transit_rule: "No transit rule is recorded. Ask the airline.",
  transit_not_named: "No transit rule is recorded for this passport. Ask the airline.",
  transit_area_not_given: "Transit is permitted inside the international area only. Give `airside`.",
  transit_day_not_given: "Transit is not permitted on every day of the journey. Ask about its day.",
  transit_conditional: "A transit visa is required under a condition. Read it.",
  transit_limits: "Transit is permitted for some hours or under a condition. Read it.",
  transit_document_to_check: "A held document may waive the transit visa. Check its terms.",
  transit_visa_to_obtain: "Obtain the visa of the stop first. Then transit is permitted.",
  transit_needs_entry: "Leaving the international area is an entry. Check its requirements.",
  no_passport_record: "The passport is not in the data. Ask the embassy.",
  passport_kind_not_recorded: "There is no rule for this kind of passport. Ask the embassy.",
  stay_counted_nowhere: "The earlier stay is in a country that is not in the data.",
  todays_rule: "The earlier stay is older than the zone's rule, and is counted by it.",
  document_assumed: "The class, last day or days of stay of this document are not given. Give them.",
  not_modelled: "Without the field all is the same.",
  no_rule: "Nothing is recorded for this passport there. Ask the embassy.",
  unknown_passport: "The passport is not in the data. Ask the embassy.",
  unknown_destination: "The destination is not in the data. Ask its embassy.",
  before_dataset: "The day is before the first day of the data.",
  before_history: "The day is before the first dated table.",
  after_history: "The day is between the last dated table and the first day of the data.",
  imported_past: "The past answer comes from dated tables, unchecked for this pair.",
  rule_seen_between:
    "Two dated tables around the day differ. `earlier` was last seen on `after`, `later` first on `by`.",
  stay_seen_between: "Two dated tables around the day differ in the days of stay.",
  past_word: "The tables of that time used a word that is not one requirement of today.",
  no_rule_of_that_day: "Rules of passport validity and of transit are not recorded for past days.",
  stay_rule_of_today: "The days of a past stay are counted by the stay rule of today.",
} as const satisfies Partial<Record<ReasonCode, string>>

const TEXTS: Readonly<Record<ReasonCode, string>> = { ...BLOCKERS, ...CONDITIONS, ...UNKNOWNS }

const linesOf = (where: "blocker" | "condition" | "unknown", texts: object) =>
  (Object.keys(texts) as ReasonCode[]).map(code => `- ${where} \`${code}\`: ${TEXTS[code]}`)

export const CODE_LINES: readonly string[] = [
  ...linesOf("blocker", BLOCKERS),
  ...linesOf("condition", CONDITIONS),
  ...linesOf("unknown", UNKNOWNS),
]
