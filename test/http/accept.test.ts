import { assert, describe, it } from "vitest"
import { wantsMarkdown } from "../../adapters/http/pipeline/http-message.ts"

describe("wantsMarkdown", () => {
  it("gives markdown to clients that name it and do not prefer JSON", () => {
    for (const accept of [
      "text/markdown",
      "TEXT/Markdown",
      "text/markdown, */*",
      "text/markdown;q=0.5, */*;q=0.5",
      "text/markdown;q=0.5, */*, application/json;q=0.1",
      "application/json;q=0.5, text/markdown",
      "text/markdown;charset=utf-8",
      "application/json, text/markdown",
      "text/*",
      "text/*, application/json;q=0.5",
    ])
      assert.isTrue(wantsMarkdown(accept), accept)
  })

  it("gives JSON to everybody else", () => {
    for (const accept of [
      undefined,
      "",
      "*/*",
      "text/*, */*",
      "text/*;q=0.5, application/json",
      "text/*, text/markdown;q=0",
      "application/json",
      "text/html",
      "text/markdown;q=0",
      "text/markdown;q=0.4, application/json;q=0.9",
      "text/markdown-not",
      "text/markdown;q=0.5, */*;q=0.8",
      "text/markdown;q=0.5, application/*",
    ])
      assert.isFalse(wantsMarkdown(accept), String(accept))
  })
})
