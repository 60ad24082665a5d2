/**
 * Which files of tests begin first?
 *
 * Those that take longest, most of them because they wait: for processes that are killed, a claim that runs out, a browser. So others fill the time in which
 * they wait, and none is left over for the end. Without this list Vitest begins with the largest files where it has never run before, as in a new clone.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node"

const LONGEST = [
  "jobs/postgres-jobs",
  "site/every-view",
  "http/processes",
  "changes/postgres-changes",
  "storage/postgres-devices",
  "jobs/sqlite-jobs",
  "http/accounts/page",
  "storage/postgres-failures",
  "spots/postgres-imports",
  "cli/batch",
  "data/verify",
  "data/claim-workflow",
  "time/time-fuzz",
  "site/layout",
  "site/trip",
  "data/import",
  "data/update",
  "cli/process",
  "worker/pool",
  "convert/process",
  "cli/examples",
  "storage/postgres-storage",
  "site/written",
  "site/walks",
  "site/compare",
  "storage/several-processes",
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.findIndex(name => moduleId.endsWith(`/test/${name}.test.ts`))
      return at === -1 ? LONGEST.length : at
    }
    return (await super.sort(files)).sort((one, other) => rankOf(one) - rankOf(other))
  }
}
