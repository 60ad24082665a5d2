import { describe, expect, it } from "vitest"
import { readNotices } from "../../adapters/data-files/data-notices.ts"

describe("readNotices", () => {
  it("takes each item of a list as one line, with what is indented below it", () => {
    const text = "# Notices\n\n- One\n  and more\n- Two\n\n  no item\nText\n  - nested\n"
    expect(readNotices(text)).toEqual({ text, attributions: ["One and more", "Two"] })
  })

  it("finds none where there is no list", () => {
    expect(readNotices("")).toEqual({ text: "", attributions: [] })
  })
})
