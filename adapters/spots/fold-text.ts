/**
 * When are two spellings the same to somebody who searches?
 *
 * Case and accents do not count: `sao` finds São, `kotor` finds KOTOR. Letters that are a base letter and a stroke (ø, ł, đ, ı) and joined
 * ones (æ, œ, ß, þ) are written out, because no decomposition of Unicode takes them apart; apostrophes and their look-alikes are left out, because
 * few people type the one that a title has. Marks of other scripts that are vowels or voicing stay: without them words become others.
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
const APOSTROPHES = /['`´‘’ʻʼʽʾʿ]/g
const BLANKS = /\s+/g

/**
 * Writes a text in lower case without accents, with single blanks.
 *
 * @example
 * ```ts
 * foldText("Ħal Saflieni") // => "hal saflieni"
 * foldText("Rua  São BENTO") // => "rua sao bento"
 * foldText("Haʻamonga ʻa Maui") // => "haamonga a maui"
 * ```
 */
export function foldText(text: string): string {
  return text
    .normalize("NFKD")
    .replace(ACCENTS, "")
    .toLowerCase()
    .replace(STROKED, letter => WRITTEN_OUT[letter] as string)
    .replace(APOSTROPHES, "")
    .normalize("NFC")
    .replace(BLANKS, " ")
    .trim()
}
