/**
 * How often was something tried lately?
 *
 * One count for each kind of attempt and subject, in a window that begins with the first attempt. Subjects are hashes, so that
 * the database does not say who tried. The count is shared by every process, because guessing spreads over all of them.
 */
import { Effect } from "effect"
import type { Database } from "./database.ts"

/** The count after an attempt. */
export interface AttemptCount {
  readonly used: number
  readonly window_ends_at: number
}

/** The statements on attempts. */
export const makeAttemptsRepository = (database: Database) => ({
  /** Counts an attempt, or several at once; returns the attempts of its window, including these. */
  count: (options: {
    readonly kind: string
    readonly subject: string
    readonly amount: number
    readonly nowMs: number
    readonly windowMs: number
  }) => {
    const { kind, subject, amount, nowMs, windowMs } = options
    const endsAt = nowMs + windowMs
    return Effect.map(
      database.change(
        sql => sql<AttemptCount>`INSERT INTO attempts (kind, subject, window_starts_at, window_ends_at, used)
          VALUES (${kind}, ${subject}, ${nowMs}, ${endsAt}, ${amount})
          ON CONFLICT (kind, subject) DO UPDATE SET
            used = CASE WHEN attempts.window_ends_at <= ${nowMs} THEN excluded.used ELSE attempts.used + excluded.used END,
            window_starts_at = CASE WHEN attempts.window_ends_at <= ${nowMs} THEN ${nowMs} ELSE attempts.window_starts_at END,
            window_ends_at = CASE WHEN attempts.window_ends_at <= ${nowMs} THEN ${endsAt} ELSE attempts.window_ends_at END
          RETURNING used, window_ends_at`,
      ),
      rows => rows[0]!,
    )
  },

  /** Deletes windows that have ended. */
  forgetEnded: (nowMs: number) => database.run(sql => sql`DELETE FROM attempts WHERE window_ends_at <= ${nowMs}`),
})
