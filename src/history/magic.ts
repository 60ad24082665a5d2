/** What do the writer and the reader of a history have to agree on, apart from the order of the numbers? */

/** The first letters of the bytes: what they are, and the version of the layout. */
export const HISTORY_MAGIC = "LFH1"

/** The most pasts times days of a series: it bounds what a reader lays out in memory (8 MB). */
export const MOST_MARKS = 2 ** 21
