import { assert, describe, it } from "vitest"
import { wantsMarkdown } from "../../adapters/http/pipeline/http-message.ts"
import { chooseEncoding, namesValidator } from "../../adapters/http/pipeline/negotiation.ts"
import { readSessionCookie } from "../../adapters/http/pipeline/session-cookie.ts"
import { preferLanguage } from "../../adapters/mail/texts.ts"
import { findClientAddress } from "../../adapters/validation/addresses.ts"
import { MOST_MEMBERS } from "../../adapters/validation/header-list.ts"
import { leastProcessorTime } from "../processor-time.ts"

const listAfter = (count: number, member: string, last: string) => `${`${member},`.repeat(count)}${last}`
const LAST = MOST_MEMBERS - 1
const trustsPrivate = { trusts: (address: string) => address.startsWith("10.") }

describe("a list in a header", () => {
  it.each<[name: string, other: string, wanted: string, isRead: (list: string) => boolean]>([
    ["Accept", "a/b", "text/markdown", wantsMarkdown],
    ["Accept-Encoding", "x", "gzip", list => chooseEncoding(list) === "gzip"],
    ["Accept-Language", "cy", "fr", list => preferLanguage(list) === "fr"],
    ["If-None-Match", 'W/"a"', 'W/"b"', list => namesValidator(list, 'W/"b"')],
  ])("%s is read up to its 64th member", (_, other, wanted, isRead) => {
    assert.isTrue(isRead(wanted))
    assert.isTrue(isRead(listAfter(LAST, other, wanted)))
    assert.isFalse(isRead(listAfter(MOST_MEMBERS, other, wanted)))
  })

  it("X-Forwarded-For is read up to its 64th member from the end, which trusted proxies have written", () => {
    const find = (proxies: number) =>
      findClientAddress("10.0.0.1", `203.0.113.9${",10.0.0.2".repeat(proxies)}`, trustsPrivate)
    assert.strictEqual(find(LAST), "203.0.113.9")
    assert.strictEqual(find(MOST_MEMBERS), "10.0.0.2")
    assert.strictEqual(
      findClientAddress("10.0.0.1", listAfter(5_000, "x", "203.0.113.9"), trustsPrivate),
      "203.0.113.9",
    )
  })

  it("Cookie is read up to more cookies than a browser keeps", () => {
    const session = { kind: "token", token: "t" } as const
    assert.deepStrictEqual(readSessionCookie(`${"a=1; ".repeat(255)}svc_token=t`), session)
    assert.deepStrictEqual(readSessionCookie(`${"a=1; ".repeat(256)}svc_token=t`), { kind: "none" })
  })

  it.each<[name: string, read: (list: string) => unknown]>([
    ["Accept", list => wantsMarkdown(`text/markdown,${list}`)],
    ["Accept-Encoding", chooseEncoding],
    ["Accept-Language", preferLanguage],
    ["Cookie", readSessionCookie],
    ["If-None-Match", list => namesValidator(list, 'W/"b"')],
    ["X-Forwarded-For", list => findClientAddress("10.0.0.1", list, { trusts: () => true })],
  ])("%s of 15,000 characters takes less than ten milliseconds of the processor", (_, read) => {
    for (const member of ["en,", "a,", ",", "::1,", ";", " ", '"', "en;a=b;", "en;q=0.1, ", "svc_token=1;"]) {
      const list = member.repeat(Math.ceil(15_000 / member.length))
      assert.isBelow(
        leastProcessorTime(() => read(list), 50),
        10_000,
        member,
      )
    }
  })
})
