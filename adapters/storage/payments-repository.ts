/**
 * Which payment authorisations were received, and what is the state of each?
 *
 * An authorisation is identified by network, asset, payer and nonce, and claimed by the request that it pays for: of two requests with the
 * same one, on any nodes, one gets it. After delivery it is never claimed again. An expired claim, whose process died, can be taken over.
 */
import { bumpCounter } from "./counter.ts"
import type { Database } from "./database.ts"

/** `settling`: requested, no answer yet. `unknown`: the answer was lost. `failed`: nothing was charged. */
export type PaymentState = "claimed" | "settling" | "unknown" | "settled" | "failed"

/** The identity of an authorisation. */
export interface PaymentName {
  readonly network: string
  readonly asset: string
  readonly payer: string
  readonly nonce: string
}

/** One payment. Instants are epoch milliseconds. */
export interface PaymentRow extends PaymentName {
  readonly id: number
  readonly amount: string
  readonly question: string
  readonly state: PaymentState
  readonly claimed_until: number
  readonly sealed_payment: string | null
  /** The facilitator's answer, as JSON. */
  readonly settlement: string | null
  readonly error: string | null
  readonly created_at: number
  readonly settled_at: number | null
  readonly delivered_at: number | null
}

const COLUMNS =
  "id, network, asset, payer, nonce, amount, question, state, claimed_until, sealed_payment, settlement, error, created_at, settled_at, delivered_at"

/** The statements on payments. */
export const makePaymentsRepository = (database: Database) => {
  const columns = database.sql.literal(COLUMNS)
  return {
    nextId: bumpCounter(database, "payments_id"),

    find: ({ network, asset, payer, nonce }: PaymentName) =>
      database.askOne(
        sql => sql<PaymentRow>`SELECT ${columns} FROM payments
            WHERE network = ${network} AND asset = ${asset} AND payer = ${payer} AND nonce = ${nonce}`,
      ),

    /**
     * Claims an authorisation that is new, has failed, or whose claim has expired undelivered; undefined where it is claimed by
     * another request, or used.
     */
    claim: (
      name: PaymentName,
      more: {
        readonly id: number
        readonly amount: string
        readonly question: string
        readonly claim: string
        readonly sealedPayment: string
        readonly nowMs: number
        readonly claimedUntil: number
      },
    ) => {
      const { id, amount, question, claim, sealedPayment, nowMs, claimedUntil } = more
      const { network, asset, payer, nonce } = name
      return database.changeOne(
        sql => sql<PaymentRow>`INSERT INTO payments
            (id, network, asset, payer, nonce, amount, question, state, claim, claimed_until, sealed_payment, created_at)
            VALUES (${id}, ${network}, ${asset}, ${payer}, ${nonce}, ${amount}, ${question}, 'claimed', ${claim}, ${claimedUntil},
              ${sealedPayment}, ${nowMs})
            ON CONFLICT (network, asset, payer, nonce) DO UPDATE SET
              claim = excluded.claim, claimed_until = excluded.claimed_until, question = excluded.question,
              state = CASE WHEN payments.state = 'failed' THEN 'claimed' ELSE payments.state END
            WHERE payments.delivered_at IS NULL AND payments.claimed_until <= ${nowMs}
            RETURNING ${columns}`,
      )
    },

    /** Writes the outcome of a claimed payment; a claim that was taken over writes nothing. */
    settle: (
      id: number,
      claim: string,
      outcome: {
        readonly state: PaymentState
        readonly settlement?: string | null
        readonly error?: string | null
        readonly settledAt?: number | null
        readonly deliveredAt?: number | null
        readonly claimedUntil: number
      },
    ) =>
      database.run(
        sql => sql`UPDATE payments SET state = ${outcome.state}, claimed_until = ${outcome.claimedUntil},
            settlement = COALESCE(${outcome.settlement ?? null}, settlement), error = ${outcome.error ?? null},
            settled_at = COALESCE(${outcome.settledAt ?? null}, settled_at),
            delivered_at = COALESCE(${outcome.deliveredAt ?? null}, delivered_at)
            WHERE id = ${id} AND claim = ${claim}`,
      ),

    /** Claims payments whose settlement is unknown, up to a number. */
    claimOpen: (claim: string, nowMs: number, claimedUntil: number, limit: number) =>
      database.change(sql => {
        const open = sql`SELECT id FROM payments WHERE state IN ('settling', 'unknown') AND claimed_until <= ${nowMs}
          ORDER BY claimed_until LIMIT ${limit}`
        const picked = sql.onDialectOrElse({ pg: () => sql`${open} FOR UPDATE SKIP LOCKED`, orElse: () => open })
        return sql<PaymentRow>`UPDATE payments SET claim = ${claim}, claimed_until = ${claimedUntil}
          WHERE id IN (${picked}) RETURNING ${columns}`
      }),

    /** Deletes payments from before an instant that were never made. */
    forgetFailed: (beforeMs: number) =>
      database.run(sql => sql`DELETE FROM payments WHERE state = 'failed' AND created_at < ${beforeMs}`),

    /** Payments, the newest first, below a number. */
    list: (beforeId: number, limit: number) =>
      database.ask(
        sql => sql<PaymentRow>`SELECT ${columns} FROM payments WHERE id < ${beforeId} ORDER BY id DESC LIMIT ${limit}`,
      ),
  }
}
