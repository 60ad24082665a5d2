import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { run } from "./run.ts"

// What bash calls when somebody presses the tab key behind these words.
const PROBE = `
complete_words() {
  COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); COMP_LINE="$*"; COMP_POINT=\${#COMP_LINE}; COMPREPLY=()
  _landfall landfall "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD-1]}"
  echo "\${COMPREPLY[*]}"
}
complete_words landfall wat
complete_words landfall check JP
complete_words landfall check FRA Jap
complete_words landfall check jp
complete_words landfall check FRA jap
complete_words landfall check FRA JPN --lang k
complete_words landfall group fra
complete_words landfall dataset rol
complete_words landfall help ch
complete_words landfall help dataset rol
`

it("completes commands, codes, names and languages in bash", async () => {
  const folder = mkdtempSync(join(tmpdir(), "landfall-completions-"))
  const { status, stdout } = await run("--completions", "bash")
  expect(status).toBe(0)
  writeFileSync(join(folder, "probe.sh"), `${stdout}\n${PROBE}`)
  const probed = spawnSync("bash", [join(folder, "probe.sh")], { encoding: "utf8" })
  rmSync(folder, { recursive: true })
  expect([probed.stderr, probed.stdout.split("\n")]).toEqual([
    "",
    ["watch", "JPN", "Japan", "jpn", "japan", "ko", "fra france", "rollback", "check", "rollback", ""],
  ])
})

it.each(["zsh", "fish"])("knows countries and languages in %s", async shell => {
  const { status, stdout } = await run("--completions", shell)
  expect(status).toBe(0)
  for (const word of ["watch", "JPN", "Japan", "vi"]) expect(stdout).toContain(word)
  // `help` is followed by commands.
  const helped = shell === "zsh" ? /^\s*'help:What a command does/m : /_from help; [^\n]* -a 'check' /
  expect(helped.test(stdout)).toBe(true)
})
