/** The executables for machines other than this one, which cannot be started here: each is a program of its own system and processor, and holds our code. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { buildBinary } from "../../../.ci/packaging/build-binary.ts"
import { explainLackingBun } from "../runtimes.ts"

const folder = mkdtempSync(join(tmpdir(), "landfall-binaries-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

// ELF has its machine at 18: 62 is x86-64, 183 is AArch64. Mach-O has its processor at 4.
const ELF = 0x7f454c46
const MACH_O = 0xcffaedfe
const HEADERS = [
  ["linux-x64", ELF, 18, 62],
  ["linux-arm64", ELF, 18, 183],
  ["darwin-x64", MACH_O, 4, 0x01000007],
  ["darwin-arm64", MACH_O, 4, 0x0100000c],
] as const

const lacking = explainLackingBun()

describe.skipIf(lacking !== "")(`the executable${lacking}`, () => {
  it.each(HEADERS)(
    "for %s is a program of that system and processor, with our code in it",
    (target, magic, at, machine) => {
      const program = readFileSync(buildBinary(target, folder))
      expect(program.readUInt32BE(0)).toBe(magic)
      expect(magic === ELF ? program.readUInt16LE(at) : program.readUInt32LE(at)).toBe(machine)
      expect(program.includes("LANDFALL_DATABASE_URL")).toBe(true)
    },
  )
})

it("is refused for a machine that is no target", () => {
  expect(() => buildBinary("win32-x64", folder)).toThrow(
    new Error('"win32-x64" is not a target. Targets: linux-x64, linux-arm64, darwin-x64, darwin-arm64.'),
  )
})
