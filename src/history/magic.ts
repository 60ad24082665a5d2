/** What do the writer and the reader of a history share, besides the order of the numbers? */

/** The first letters of the bytes: the format and its version. */
export const HISTORY_MAGIC = "LFH1"

/** The most pasts times days of a series: it bounds what a reader lays out in memory (8 MB). */
export const MOST_MARKS = 2 ** 21
