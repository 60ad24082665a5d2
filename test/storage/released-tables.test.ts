/**
 * A released step is never changed, and a database of any release becomes one of today. `tables-of-step-N.sql` has the tables of SQLite after step N; both engines have one list of steps. If the
 * first test fails, add a step. While nothing is released, `npx vitest run --project tests test/storage/released-tables.test.ts -u`, twice, is enough.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { migrateDatabase } from "../../adapters/storage/migrations.ts"
import { KnownSteps, STEPS } from "../../adapters/storage/tables.ts"
import { makeFolder, startTestService } from "../http/service.ts"

const readTables = (path: string): string => {
  using database = new DatabaseSync(path)
  const rows = database.prepare("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type DESC, name").all()
  return rows.map(({ sql }) => `${sql};\n`).join("")
}
const migrate = (path: string, known = STEPS) =>
  Effect.runPromise(Effect.provideService(migrateDatabase(`file:${path}`, { isCheck: false }), KnownSteps, known))

describe.each(STEPS.map((step, at) => ({ ...step, number: at + 1 })))("step $number, $name", ({ number }) => {
  const snapshot = join(import.meta.dirname, `tables-of-step-${number}.sql`)

  it("makes the tables that it was released with", async () => {
    const path = join(makeFolder(), "landfall.db")
    await migrate(path, STEPS.slice(0, number))
    await expect(readTables(path)).toMatchFileSnapshot(snapshot)
  })

  it("made tables that this version opens, as those that it makes itself", async () => {
    const [folder, own] = [makeFolder(), join(makeFolder(), "landfall.db")]
    const path = join(folder, "landfall.db")
    {
      using database = new DatabaseSync(path)
      database.exec(readFileSync(snapshot, "utf8"))
      const insert = database.prepare("INSERT INTO steps (number, name, needs, applied_at) VALUES (?, ?, ?, '')")
      for (const [at, { name, needs = 0 }] of STEPS.slice(0, number).entries()) insert.run(at + 1, name, needs)
    }
    await migrate(path)
    await migrate(own)
    expect(readTables(path)).toBe(readTables(own))
    await using service = await startTestService({ folder })
    expect((await service.ask("/readyz")).status).toBe(200)
    expect((await service.askAs("pro", "/api/v1/visa?passport=IND&destination=DEU")).status).toBe(200)
  })
})
