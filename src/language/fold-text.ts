/**
 * When are two spellings the same in a search?
 *
 * Case and accents do not count: `sao` finds São, `kotor` finds KOTOR. Letters with a stroke (ø, ł, đ, ı) and joined ones (æ, œ, ß, þ) are
 * replaced by base letters, because no decomposition of Unicode separates them. Marks of other scripts that are vowels or voicing stay:
 * without them words become others. In texts an apostrophe and its look-alikes are removed, because few people type the one that a title
 * has. In names of countries all punctuation is a blank, because people type it as a hyphen, as an apostrophe or not at all.
 */

const WRITTEN_OUT: Readonly<Record<string, string>> = {
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  ħ: "h",
  ŧ: "t",
  ı: "i",
  æ: "ae",
  œ: "oe",
  ß: "ss",
  þ: "th",
}
const STROKED = new RegExp(`[${Object.keys(WRITTEN_OUT).join("")}]`, "gu")
/** The block of combining diacritical marks: what an accented Latin, Greek or Cyrillic letter decomposes into. */
const ACCENTS = /[\u0300-\u036f]/g
/**
 * Marks that people leave out when they type Arabic (short vowels, the hamza of a carrier) and Hindi (the dot of letters for foreign
 * sounds).
 */
const SELDOM_TYPED = /[\u064b-\u065f\u0670\u093c]/g
const APOSTROPHES = /['`´‘’ʻʼʽʾʿ]/g
const BLANKS = /\s+/g
const PUNCTUATION = /[^\p{L}\p{M}\p{N}]+/gu

/**
 * Writes a text in lower case without accents, with single blanks. Cannot fail.
 *
 * @example
 * ```ts
 * foldText("Ħal Saflieni") // => "hal saflieni"
 * foldText("Rua  São BENTO") // => "rua sao bento"
 * foldText("Haʻamonga ʻa Maui") // => "haamonga a maui"
 * ```
 */
export function foldText(text: string): string {
  return foldLetters(text).replace(APOSTROPHES, "").normalize("NFC").replace(BLANKS, " ").trim()
}

/**
 * Writes a country's name as it is compared: folded, without punctuation, marks that are seldom typed and a leading article. Cannot fail.
 *
 * @example
 * ```ts
 * foldName("Côte d’Ivoire") // => "cote d ivoire"
 * foldName("The  Gambia") // => "gambia"
 * foldName("Trinidad & Tobago") // => "trinidad and tobago"
 * ```
 */
export function foldName(text: string): string {
  return foldLetters(text)
    .replace(SELDOM_TYPED, "")
    .normalize("NFC")
    .replace(/&/g, " and ")
    .replace(PUNCTUATION, " ")
    .trim()
    .replace(/^the /, "")
}

// A value that is not a text has no letters.
function foldLetters(text: unknown): string {
  return (typeof text === "string" ? text : "")
    .normalize("NFKD")
    .replace(ACCENTS, "")
    .toLowerCase()
    .replace(STROKED, letter => WRITTEN_OUT[letter] as string)
}
