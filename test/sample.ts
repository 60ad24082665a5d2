/**
 * How much of what there is does a test ask? A sample in `npm test`; everything each night (the project `sweeps` has every file that imports this one) and in
 * `npx node test/explore.ts`.
 */

const { EXPLORED_TRIPS } = process.env

export const IS_WHOLE = EXPLORED_TRIPS !== undefined

/** Every so manieth of a list, or all of it. */
export const sampleOf = <Of>(list: readonly Of[], step: number): readonly Of[] =>
  IS_WHOLE ? list : list.filter((_, at) => at % step === 0)

/** How many trips a law is tried on: a few in every run, as many as are told otherwise. */
export const countTrips = (usual: number): number => Number(EXPLORED_TRIPS ?? usual)
