import { expect, it } from "vitest"
import { fitSlice, SLICE_BYTES, sliceLines } from "../../adapters/batch/jobs/jobs.ts"

const line = `${"x".repeat(999)}\n`
const lines = Buffer.from(line.repeat(100))

/** Slices lines that take the given time each; the number of lines of each slice. */
const slice = (msOfLine: number, bytes = lines) => {
  let length = SLICE_BYTES
  const counts: number[] = []
  for (const { firstLine, lastLine } of sliceLines(bytes, 1, () => length)) {
    const count = lastLine - firstLine + 1
    counts.push(count)
    length = fitSlice(length, count * msOfLine)
  }
  return counts
}

it("gives other work a turn after every line that takes long, and after kilobytes of quick ones", () => {
  expect(slice(0.01)).toEqual([17, 17, 17, 17, 17, 15])
  const [first, ...others] = slice(50)
  expect(first).toBe(17)
  expect(new Set(others)).toEqual(new Set([1]))
  expect(Math.max(...slice(5).slice(1))).toBeLessThanOrEqual(9)
})

it("keeps every byte and every number of a line, however short a slice", () => {
  const odd = Buffer.from(`${line}\n\n${line}no end`)
  for (const length of [1, 2, 999, 1_000, 1_001, 16_384]) {
    const slices = [...sliceLines(odd, 7, () => length)]
    expect(Buffer.concat(slices.map(({ bytes }) => bytes)).equals(odd)).toBe(true)
    expect(slices.map(({ firstLine }, at) => firstLine - (slices[at - 1]?.lastLine ?? 6))).toEqual(slices.map(() => 1))
    expect(slices.at(-1)?.lastLine).toBe(11)
  }
})
