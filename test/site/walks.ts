/** The views that seven people come to with their questions: walked by the tests, and drawn for the documentation. */

/** Bali, Thailand and home through Dubai, with seven months of passport left. */
export const VALIDITY =
  "trip?passports=IND~2027-09-10&stops=IDN~2027-02-10~2027-02-24,THA~2027-02-24~2027-03-10&transit=ARE"

/** A British retiree who lives in Spain, with a permit. */
export const PERMIT =
  "trip?passports=GBR~2031-01-01&stops=ESP~2027-01-10~2027-12-20&residence=ESP&held=" +
  encodeURIComponent('[{"kind":"residence_permit","issuer":"ESP","valid_until":"2029-01-01"}]')

/** A trip that an agent gives to his customer. */
export const AGENT = "trip?passports=IND~2031-01-01&stops=FRA~2027-06-10~2027-06-20,JPN~2027-06-21~2027-06-30"
