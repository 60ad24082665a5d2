/**
 * What may each place of a row hold?
 *
 * Tests of single values and of rows, from which the checks of a dataset's header and terms are put together. None of them
 * throws, whatever the JSON holds.
 */
import { isEpochDay, parseCivilDate } from "../civil-date.ts"

/** Says whether a value has the shape that is expected. */
export type Test = (value: unknown) => boolean

export const isText: Test = value => typeof value === "string"
export const isDate: Test = value => parseCivilDate(value) !== null
export const isDay: Test = value => isEpochDay(value)
export const isCodes: Test = value => typeof value === "string" && /^([A-Z]{3})+$/.test(value)

/** A whole number between two others, both included. */
export const count =
  (least: number, most: number): Test =>
  value =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most

export const isFlag = count(0, 1)

/** Millions of US dollars, or hours, up to more than the world has of either. Infinity is excluded, because it would make every score NaN. */
export const isAmount: Test = value => typeof value === "number" && value >= 0 && value <= 1e12

export const orNull =
  (test: Test): Test =>
  value =>
    value === null || test(value)

/** A list of such values. Not by `every`, which skips the holes of a list. */
export const list =
  (test: Test): Test =>
  value =>
    Array.isArray(value) && value.findIndex(item => !test(item)) < 0

/** A row with these places. */
export const row =
  (...places: readonly Test[]): Test =>
  value =>
    Array.isArray(value) && value.length === places.length && places.every((test, at) => test(value[at]))
