import { assert, describe, it } from "vitest"
import { escapeHtml, MAIL_CATALOGUES, MAIL_TOPICS, preferLanguage, writeMail } from "../../adapters/mail/texts.ts"
import { LANGUAGES } from "../../src/full.ts"

const placeholdersOf = (text: string): string[] =>
  [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string).sort()

describe("the texts of mails", () => {
  it.each(LANGUAGES)("are complete in %s: the same messages with the same placeholders as in English", language => {
    const catalogue = MAIL_CATALOGUES[language]
    assert.deepStrictEqual(Object.keys(catalogue), Object.keys(MAIL_CATALOGUES.en))
    for (const [key, text] of Object.entries(MAIL_CATALOGUES.en)) {
      const translated = catalogue[key as keyof typeof catalogue]
      assert.deepStrictEqual(placeholdersOf(translated), placeholdersOf(text), key)
      assert.strictEqual(translated, translated.trim(), key)
      if (language !== "en") assert.notStrictEqual(translated, text, key)
    }
  })

  it.each(LANGUAGES.flatMap(language => MAIL_TOPICS.map(topic => [language, topic] as const)))(
    "in %s, about %s, say the same as plain text and as HTML, without placeholders",
    (language, topic) => {
      const line = "https://visa.example/confirm?token=a&b=<c>"
      const { subject, text, html } = writeMail({
        topic,
        language,
        service: "visa.example",
        line,
        minutes: 30,
        date: "1.12.",
      })
      assert.notMatch(subject + text + html, /[{}]/)
      assert.notInclude(subject, "\n")
      assert.isTrue(text.split("\n").includes(line))
      const said = html
        .replaceAll(/<[^>]+>/g, "")
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">")
        .replaceAll("&quot;", '"')
        .replaceAll("&amp;", "&")
      const linesOf = (whole: string) => whole.split("\n").filter(part => part.trim() !== "")
      assert.deepStrictEqual(linesOf(said), linesOf(text))
      assert.include(html, `<html lang="${language}"${language === "ar" ? ' dir="rtl"' : ""}>`)
    },
  )

  it("escape markup", () => {
    assert.strictEqual(escapeHtml(`<a href="x">&`), "&lt;a href=&quot;x&quot;&gt;&amp;")
  })
})

describe("preferLanguage", () => {
  it.each<[string | undefined, string]>([
    [undefined, "en"],
    ["", "en"],
    ["cy, pt-BR;q=0.9, fr;q=0.8", "pt"],
    ["fr;q=0.5, de;q=0.9", "de"],
    ["fr;q=0, ja", "ja"],
    ["fil-PH", "tl"],
    ["*", "en"],
    ["zh-Hant-TW", "zh"],
  ])("takes %s for %s", (header, language) => {
    assert.strictEqual(preferLanguage(header), language)
  })
})
