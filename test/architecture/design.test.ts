import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { STYLE as OPERATORS } from "../../adapters/http/admin/admin-server.ts"
import { REFERENCE_STYLE } from "../../adapters/http/openapi/reference-page.ts"
import { TOKENS } from "../../adapters/http/page/design.ts"
import { STYLE as ACCOUNT } from "../../adapters/http/routes/accounts/account-page-endpoints.ts"
import { STYLE as DOCUMENTATION } from "../../docs/.vitepress/style.ts"

const SITE = "site/styles"
const ofSite = readdirSync(SITE).map(name => [`${SITE}/${name}`, readFileSync(`${SITE}/${name}`, "utf8")] as const)
const served = [
  ["account", ACCOUNT],
  ["reference", REFERENCE_STYLE],
  ["operators", OPERATORS],
  ["documentation", DOCUMENTATION],
] as const

/** The fills of the map, which only the explorer has. */
const MAP_COLOURS = `${SITE}/colours.css`
const RAW_COLOUR = /#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|hwb|lab|lch|oklab|oklch)a?\((?!var\()|\blight-dark\(/gi
/** A sheet of paper has sizes of its own, and so has a drawing. */
const OWN_SIZES = [`${SITE}/print.css`, `${SITE}/map.css`, `${SITE}/fonts.css`]

/** Reads a colour of the tokens, in light and in dark. */
function readToken(name: string): readonly [light: string, dark: string] {
  const [, light = "", dark = ""] =
    new RegExp(`--${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(TOKENS) ?? []
  return [light, dark]
}

/** The contrast of two colours, as WCAG 2.2 counts it. */
function contrastOf(one: string, other: string): number {
  const lightness = (colour: string) => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => {
      const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const [dark = 0, light = 0] = [lightness(one), lightness(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

describe("the five surfaces", () => {
  it.each(served)("begin with the common tokens, and have no colour, font or size of their own: %s", (_, sheet) => {
    assert.isTrue(sheet.startsWith(TOKENS))
    const own = sheet.slice(TOKENS.length)
    assert.deepStrictEqual(own.match(RAW_COLOUR) ?? [], [])
    assert.deepStrictEqual(own.match(/font-size: (?!var\(|inherit)[^;}]*|font-family: (?!var\()[^;}]*/g) ?? [], [])
  })

  it.each(ofSite)("have none of their own in the explorer: %s", (path, sheet) => {
    if (path !== MAP_COLOURS) assert.deepStrictEqual(sheet.match(RAW_COLOUR) ?? [], [])
    if (OWN_SIZES.includes(path)) return
    assert.deepStrictEqual(sheet.match(/font-size: (?!var\(|inherit|100%)[^;}]*/g) ?? [], [])
    const fonts = (sheet.match(/font-family:[^;}]*/g) ?? []).filter(each => !/var\(--(?:serif|sans|mono)\)/.test(each))
    assert.deepStrictEqual(fonts, [])
  })

  it("use no name in the explorer that nothing defines, which would be drawn in black", () => {
    const all = [TOKENS, ...ofSite.map(([, sheet]) => sheet)].join("\n")
    const defined = new Set(Array.from(all.matchAll(/(--[\w-]+):/g), ([, name]) => name))
    const used = Array.from(all.matchAll(/var\((--[\w-]+)\)/g), ([, name]) => name)
    assert.deepStrictEqual(
      used.filter(name => !defined.has(name)),
      [],
    )
  })

  it("use each colour of the explorer's from the tokens, which stand in its sheet once", () => {
    const sheet = readFileSync(`${SITE}/style.css`, "utf8")
    assert.include(sheet, '@import "site:tokens";')
    const page = readFileSync("site/index.html", "utf8")
    const [light, dark] = readToken("paper")
    assert.deepStrictEqual(page.match(/#[0-9a-f]{6}/g), [light, dark])
  })

  it("can be read: text has a contrast of 4.5 on each ground that it stands on, the edge of a field one of 3", () => {
    const weak: string[] = []
    const grounds = ["paper", "raised", "sunken"]
    const pairs = [
      ...["ink", "soft", "clear", "get", "stop", "ask"].flatMap(text =>
        grounds.map(ground => [text, ground, 4.5] as const),
      ),
      ...["clear", "get", "stop", "ask"].flatMap(of => [
        [of, `${of}-tint`, 4.5] as const,
        ["ink", `${of}-tint`, 4.5] as const,
      ]),
      ...grounds.slice(0, 2).map(ground => ["field", ground, 3] as const),
    ]
    for (const [text, ground, least] of pairs) {
      for (const scheme of [0, 1]) {
        const contrast = contrastOf(readToken(text)[scheme] as string, readToken(ground)[scheme] as string)
        if (contrast < least) weak.push(`${text} on ${ground}: ${contrast.toFixed(2)}`)
      }
    }
    assert.deepStrictEqual(weak, [])
  })
})
