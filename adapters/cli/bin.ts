#!/usr/bin/env node
/**
 * The executable: refuses a Node that is too old in a sentence, turns on Node's compile cache, which halves the time of every later start,
 * and runs the command line.
 */
import module from "node:module"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major > 22 || (major === 22 && minor >= 19)) {
  module.enableCompileCache()
  await import("./main.ts")
} else {
  process.stderr.write(`landfall needs Node 22.19 or later, not ${process.versions.node}.\n`)
  process.exitCode = 1
}
