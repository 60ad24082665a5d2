import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { MIGRATIONS } from "../../adapters/storage/tables.ts"

it("docs/upgrading.md lists every step of the tables, in order", () => {
  const listed = [...readFileSync("docs/upgrading.md", "utf8").matchAll(/^\| (\d+) \| \S/gm)].map(([, step]) =>
    Number(step),
  )
  expect(listed).toEqual(Object.keys(MIGRATIONS).map(name => Number(name.slice(0, 4))))
})
