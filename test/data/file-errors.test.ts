import { describe, expect, it } from "vitest"
import { describeFileError, describeJsonError } from "../../adapters/files/file-errors.ts"

const why = (text: string) => {
  try {
    JSON.parse(text)
  } catch (cause) {
    return describeJsonError(text, cause)
  }
  return "read"
}

describe("a text that is not valid JSON", () => {
  it.each([
    ["", "is not JSON: Unexpected end of JSON input (line 1 column 1)"],
    ['{"a": [1,\n', "is not JSON: Unexpected end of JSON input (line 2 column 1)"],
    ["{", "is not JSON: Expected property name or '}' in JSON at position 1 (line 1 column 2)"],
    [
      '{"a": 1\n"b": 2}',
      "is not JSON: Expected ',' or '}' after property value in JSON at position 8 (line 2 column 1)",
    ],
    ['{"a": [}', "is not JSON: Unexpected token '}' (line 1 column 8)"],
    ['{"a": true,\n "b": [1,\n\t, 2]}', "is not JSON: Unexpected token ',' (line 3 column 2)"],
    ["\uFEFF{}", "is not JSON: Unexpected token '\uFEFF' (line 1 column 1)"],
    ["visa", "is not JSON: Unexpected token 'v' (line 1 column 1)"],
    [`[${"1,".repeat(50_000)}'x']`, "is not JSON: Unexpected token ''' (line 1 column 100002)"],
  ])("is refused with its line and column", (text, message) => {
    expect(why(text)).toBe(message)
  })
})

describe("a file that cannot be read or written", () => {
  it.each([
    ["ENOENT", "does not exist."],
    ["EACCES", "may not be read or written."],
    ["EISDIR", "is a folder, a file is expected."],
    ["ENOSPC", "cannot be read or written: the system's words"],
  ])("is refused in words: %s", (code, message) => {
    expect(describeFileError(Object.assign(new Error("the system's words"), { code }))).toBe(message)
  })
})
