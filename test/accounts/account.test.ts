import { Schema } from "effect"
import { assert, describe, it } from "vitest"
import { EmailAddress, foldEmail, mailboxOf, Name } from "../../adapters/accounts/account.ts"
import { maskApiKey } from "../../adapters/accounts/key-limits.ts"

describe("EmailAddress", () => {
  const isAddress = Schema.is(EmailAddress)

  it("accepts real e-mail addresses", () => {
    for (const address of [
      "a@b.co",
      "Ana.Lima+visa@mail.example.org",
      "ünal@exämple.de",
      "o'brien@example.co.uk",
      `${"a".repeat(242)}@example.org`,
    ]) {
      assert.isTrue(isAddress(address), address)
    }
  })

  it("refuses addresses that no mail can reach and those that could end a mail header", () => {
    const refused = [
      "erased-1@erased.invalid",
      "x@ERASED.invalid",
      "",
      "a",
      "a@b",
      "@b.co",
      "a@.",
      "a b@c.de",
      "a@b.co\nBcc: eve@example.org",
      "a@b.co\0",
      "a@b@c.de",
      "<a@b.co",
      "a@b.co>",
      "<a@b.co>",
      "Ana <a@b.co>",
      "a@b.co (Ana)",
      '"a"@b.co',
      "a@b.co,c@d.ef",
      "a@b.co;",
      "group: a@b.co;",
      "a..b@c.de",
      ".a@b.co",
      "a@b..co",
      "a@-b.co",
      "a@127.0.0.1",
      "a@[127.0.0.1]",
      `"><script>alert(1)</script>@example.org`,
    ]
    for (const address of [...refused, `${"a".repeat(250)}@example.org`]) assert.isFalse(isAddress(address), address)
  })
})

describe("Name", () => {
  it("is 1 to 100 characters on one line", () => {
    const isName = Schema.is(Name)
    for (const name of ["A", "Zoë O’Neill", "国".repeat(100)]) assert.isTrue(isName(name), name)
    for (const name of ["", "   ", "a\nb", "x".repeat(101), "tab\t"]) assert.isFalse(isName(name), JSON.stringify(name))
  })
})

describe("foldEmail", () => {
  it("finds an address in another case or with composed letters", () => {
    assert.strictEqual(foldEmail("U\u0308NAL@Example.DE"), foldEmail("ünal@example.de"))
  })
})

describe("mailboxOf", () => {
  it("is the same for every spelling that reaches one mailbox", () => {
    const spellings = [
      "ana.lima@gmail.com",
      "Ana.Lima+1@Gmail.com",
      "a.n.a.l.i.m.a@googlemail.com",
      "analima+x+y@gmail.com",
    ]
    assert.deepStrictEqual(new Set(spellings.map(mailboxOf)), new Set(["analima@gmail.com"]))
    // A mail to either goes to the same host, in whatever letters it is written (UTS #46).
    for (const [one, other] of [
      ["ana@exämple.org", "ana@xn--exmple-cua.org"],
      ["ana@ｅxample.org", "ana@example.org"],
      ["ana@EXAMPLE.ｏrg", "ana@example.org"],
    ] as const)
      assert.strictEqual(mailboxOf(one), mailboxOf(other))
  })

  it("differs for another person or another host", () => {
    assert.strictEqual(
      new Set(["ana@example.org", "bea@example.org", "ana@example.com", "+1@b.co", "+2@b.co"].map(mailboxOf)).size,
      5,
    )
  })
})

describe("maskApiKey", () => {
  it("shows nothing of a text that is not a key", () => {
    assert.strictEqual(maskApiKey("hunter2"), "****")
  })
})
