/** `landfall dataset export`: every pair with a record, for a spreadsheet, a program or a warehouse. */
import { Console, Effect, Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { listExportNames, listExportRows, writeCsv, writeParquet } from "../data-files/export-pairs.ts"
import { replaceFile } from "../files/replace-file.ts"
import { makeCommand } from "./command.ts"
import { CalledWrongly, nameCount, onFile, onFlag, openDatasetOn, outputFlag, switchFlag } from "./command-outcome.ts"

export const exportPairs = makeCommand("export", {
  about: "Print every pair with a record as CSV, JSON or Parquet",
  usage: "landfall dataset export [FILE] [--format csv|json|parquet] [-o OUT] [--on DATE] [--with-sources]",
  examples: { "landfall dataset export --format json -o pairs.json": "The embedded dataset as JSON" },
  takes: {
    file: Argument.String("file").pipe(
      Argument.withDescription("A dataset file; the embedded dataset when absent"),
      Argument.optional,
    ),
    format: Flag.Literals("format", ["csv", "json", "parquet"] as const).pipe(
      Flag.withDescription("The format; CSV when absent"),
      Flag.optional,
    ),
    output: outputFlag("The output file; the standard output when absent").pipe(Flag.optional),
    on: onFlag,
    withSources: switchFlag(
      "with-sources",
      "In CSV and JSON too: the evidence of each answer, its day and the dataset's version",
    ),
  },
  *run({ file, format, output, on, withSources, json }) {
    const wanted = Option.getOrElse(format, () => (json ? "json" : "csv"))
    if (json && wanted !== "json") {
      return yield* new CalledWrongly({ message: `--json and --format ${wanted}: give one of them.` })
    }
    if (wanted === "parquet" && Option.isNone(output)) {
      return yield* new CalledWrongly({ message: "--format parquet: name a file with -o." })
    }
    const rows = listExportRows(yield* openDatasetOn(file, on))
    const names = listExportNames(withSources)
    const picked = () => rows.map(row => Object.fromEntries(names.map(name => [name, row[name]])))
    const content =
      wanted === "parquet"
        ? yield* Effect.promise(() => writeParquet(rows))
        : wanted === "csv"
          ? writeCsv(rows, names)
          : `${JSON.stringify(picked(), null, 2)}\n`
    if (Option.isNone(output)) return yield* Console.log(String(content).slice(0, -1))
    yield* onFile(output.value, () => replaceFile(output.value, content))
    yield* Console.log(`${output.value}: ${nameCount(rows.length, "pair")}`)
  },
})
