import { assert, describe, it } from "vitest"
import { wantsMarkdown } from "../../adapters/http/accept.ts"

describe("wantsMarkdown", () => {
  it("gives markdown to who names it, and likes JSON no better", () => {
    for (const accept of [
      "text/markdown",
      "TEXT/Markdown",
      "text/markdown, */*",
      "application/json;q=0.5, text/markdown",
      "text/markdown;charset=utf-8",
      "application/json, text/markdown",
    ])
      assert.isTrue(wantsMarkdown(accept), accept)
  })

  it("gives JSON to everybody else", () => {
    for (const accept of [
      undefined,
      "",
      "*/*",
      "text/*",
      "application/json",
      "text/html",
      "text/markdown;q=0",
      "text/markdown;q=0.4, application/json;q=0.9",
      "text/markdown-not",
    ])
      assert.isFalse(wantsMarkdown(accept), String(accept))
  })
})
