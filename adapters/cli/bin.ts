#!/usr/bin/env node
/**
 * The executable: refuses a Node that is too old in a sentence, turns on Node's compile cache, which halves the time of every later start,
 * and runs the command line.
 */
import module from "node:module"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
// Before these, node:sqlite takes the numbered parameters of a statement for names.
if ((major === 22 && minor >= 20) || (major === 24 && minor >= 8) || major > 24) {
  module.enableCompileCache()
  await import("./main.ts")
} else {
  process.stderr.write(`landfall needs Node 22.20, 24.8 or later, not ${process.versions.node}.\n`)
  process.exitCode = 1
}
