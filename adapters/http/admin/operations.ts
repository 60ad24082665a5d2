/**
 * What can an operator see and do without SQL?
 *
 * One table of operations. Each declares its fields and its answer; the endpoints of the operators' address, its pages and `landfall
 * operate` are made from it. A view changes nothing. An action is written into the audit trail with the operator's name.
 */
import { ACTS } from "./acts.ts"
import type { Operation } from "./operation.ts"
import { VIEWS } from "./views.ts"

export const OPERATIONS: readonly Operation[] = [...VIEWS, ...ACTS]

export const findOperation = (name: string): Operation | undefined =>
  OPERATIONS.find(operation => operation.name === name)
