/**
 * What is an operation of an operator?
 *
 * A view, which changes nothing, or an action. Each declares its fields and its answer; the endpoints of the operators' address, its pages
 * and `landfall operate` are made from it.
 */
import { type Effect, Schema } from "effect"
import type { Dataset } from "../../../src/engine.ts"
import type { Accounts } from "../../accounts/accounts.ts"
import type { MeterState } from "../../quota/meter.ts"
import type { Storage } from "../../storage/storage.ts"
import type { Unavailable } from "../../storage/storage-errors.ts"
import type { Webhooks } from "../../webhooks/webhooks.ts"
import { idOf, type ParameterTable, type ValuesOf } from "../pipeline/parameters.ts"

/** An operation cannot be carried out; the message says why. */
export class OperationRefused extends Schema.TaggedError<OperationRefused>()("OperationRefused", {
  message: Schema.String,
}) {}

/** The operator of an operation, and data that only some processes have. */
export interface Operating {
  readonly operator: string
  /** The dataset that is answered from while none is installed. */
  readonly configured: Dataset
  /** The counts of this process; null on the command line. */
  readonly readMeter: (() => MeterState) | null
}

export type OperationRow = Readonly<Record<string, string | number | boolean | null>>

/** The answer to a view: its lines, and where the next page begins. */
export interface Viewed {
  readonly rows: readonly OperationRow[]
  readonly next_cursor?: string | null
}

/** The services that operations use. */
export type OperationServices = Storage | Accounts | Webhooks

type Running<Answer> = Effect.Effect<Answer, OperationRefused | Unavailable, OperationServices>

interface Described {
  readonly name: string
  readonly summary: string
  readonly fields: ParameterTable
}

/** Something that an operator looks at. */
export interface View extends Described {
  readonly isAct: false
  readonly run: (values: Readonly<Record<string, unknown>>, operating: Operating) => Running<Viewed>
}

/** Something that an operator does; the answer is a sentence. */
export interface Act extends Described {
  readonly isAct: true
  /** The view that shows its form. */
  readonly beside: string
  readonly run: (values: Readonly<Record<string, unknown>>, operating: Operating) => Running<string>
}

export type Operation = View | Act

export const view = <const Table extends ParameterTable>(
  name: string,
  summary: string,
  fields: Table,
  run: (values: ValuesOf<Table>, operating: Operating) => Running<Viewed>,
): View => ({ name, summary, fields, isAct: false, run: run as View["run"] })

export const act = <const Table extends ParameterTable>(
  name: string,
  { beside, summary }: { readonly beside: string; readonly summary: string },
  fields: Table,
  run: (values: ValuesOf<Table>, operating: Operating) => Running<string>,
): Act => ({ name, beside, summary, fields, isAct: true, run: run as Act["run"] })

export const account = idOf({ description: "The id of the account." })
export const webhook = idOf({ description: "The id of the webhook." })

/** Refuses a number that nothing has. */
export const noSuch = (what: string, id: number) => () => new OperationRefused({ message: `there is no ${what} ${id}` })
