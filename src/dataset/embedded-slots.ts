/**
 * How are pairs stored briefly in a bundle?
 *
 * Destinations with the same rules for the same passports differ in what they grant, so each destination numbers its own slots, the most
 * frequent one first: their columns are then alike, and gzip packs those in a fifth fewer bytes. The slots of all destinations are one
 * text, and another one of the same length has their origins. Citizens have the last slot of their own country, and no place in its column.
 */

import { splitCodes } from "../codes.ts"
import { readByteText, readCharacters, writeByteText } from "./byte-text.ts"
import type { EmbeddedPairs } from "./embedded-form.ts"
import type { CopyPairs, PairsHeader, PaletteRow } from "./format.ts"

/** Between the slots of two destinations: no byte has this character. */
const DIVIDER = "·"
/** In place of the number of an origin: the usual one of the slot. Numbers are stored one higher. */
const USUAL = -1

/** The character of the first slot of a destination. */
const FIRST = 0x23

/** Numbers the slots of each destination, for the build only. */
export function writeSlots({ palettes = [], ...header }: PairsHeader, pairs: string): EmbeddedPairs {
  const passports = splitCodes(header.passports)
  const originsOf = new Map(
    palettes.map(([destination, ...groups]) => [
      destination,
      new Map(groups.flatMap(([origin, ...slots]) => slots.map(slot => [slot, origin] as const))),
    ]),
  )
  const columns = splitCodes(header.destinations).map((code, destination) => {
    const column = [...readByteText(pairs.slice(destination * passports.length, (destination + 1) * passports.length))]
    const origins = originsOf.get(destination) ?? new Map<number, number>()
    const home = passports.indexOf(code)
    const counts = new Map([...origins.keys()].map(slot => [slot, 0]))
    column.forEach((slot, row) => {
      if (row !== home) counts.set(slot, (counts.get(slot) ?? 0) + 1)
    })
    const slots = [...counts].sort(([a, many], [b, more]) => more - many || a - b).map(([slot]) => slot)
    const numbers = column.map(slot => slots.indexOf(slot))
    if (home >= 0) {
      slots.push(column[home] as number)
      numbers[home] = numbers[home - 1] ?? numbers[home + 1] ?? 0
    }
    return { numbers, slots, origins: slots.map(slot => 1 + (origins.get(slot) ?? USUAL)) }
  })
  const write = (bytes: readonly number[]) => writeByteText(Uint8Array.from(bytes))
  return {
    header,
    columns: {
      slots: columns.map(({ slots }) => write(slots)).join(DIVIDER),
      origins: write(columns.flatMap(({ origins }) => origins)),
      pairs: columns.map(({ numbers }) => String.fromCharCode(...numbers.map(number => FIRST + number))).join(""),
    },
  }
}

/** Reads back what {@link writeSlots} has numbered: the header, and how the pairs are copied. */
export function readSlots({ header, columns: { pairs, slots, origins } }: EmbeddedPairs): {
  readonly header: PairsHeader
  readonly copyPairs: CopyPairs
} {
  const byteOf = readCharacters()
  const lists: number[][] = []
  const palettes: PaletteRow[] = []
  let next = 0
  // Loops, because a process that has compiled nothing yet calls functions slowly.
  for (const text of slots.split(DIVIDER)) {
    const list: number[] = []
    const groups: [origin: number, slot: number][] = []
    for (let at = 0; at < text.length; at++) {
      const slot = byteOf[text.charCodeAt(at)] as number
      const origin = (byteOf[origins.charCodeAt(next++)] as number) - 1
      list.push(slot)
      if (origin !== USUAL) groups.push([origin, slot])
    }
    if (groups.length > 0) palettes.push([lists.length, ...groups])
    lists.push(list)
  }
  const destinations = splitCodes(header.destinations)
  const rowOf = new Map(splitCodes(header.passports).map((code, row) => [code, row]))
  return {
    header: { ...header, palettes },
    // The most frequent answers of the destinations are one row, copied for each passport; a search finds the other pairs: V8 spends
    // more time on compiling a loop over all pairs than on the pairs.
    copyPairs: (table, rows, columns, paletteOf) => {
      const usual = new Uint16Array(columns.length)
      columns.forEach((column, at) => {
        usual[column] = paletteOf(at)[lists[at]![0]!]!
      })
      for (const row of rows) table.set(usual, row)
      columns.forEach((column, at) => {
        const list = lists[at]!
        const palette = paletteOf(at)
        const text = pairs.slice(at * rows.length, (at + 1) * rows.length)
        for (let place = 1; place < list.length; place++) {
          const character = String.fromCharCode(FIRST + place)
          for (let row = text.indexOf(character); row >= 0; row = text.indexOf(character, row + 1)) {
            table[rows[row]! + column] = palette[list[place]!]!
          }
        }
        const home = rowOf.get(destinations[at] as string)
        if (home !== undefined) table[rows[home]! + column] = palette[list[list.length - 1]!]!
      })
    },
  }
}
