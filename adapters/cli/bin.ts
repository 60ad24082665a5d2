#!/usr/bin/env node
/**
 * The executable: refuses a Node that is too old in a sentence, limits the memory of a service, turns on Node's compile cache, which halves the
 * time of every later start, and runs the command line.
 */
import module from "node:module"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
// Older versions of node:sqlite take the numbered parameters of a statement for names. Bun and Deno say which version of Node
// they correspond to.
const isNode = process.versions.bun === undefined && process.versions.deno === undefined
if (!isNode || (major === 22 && minor >= 20) || (major === 24 && minor >= 8) || major > 24) {
  const command = process.argv[2] ?? ""
  const isService = command === "serve" || command === "worker"
  if (isNode && (isService || command === "batch")) {
    const { collectSeldom, keepObjectsYoung, restartWithLimit } = await import("./young-generation.ts")
    keepObjectsYoung()
    if (isService) {
      restartWithLimit()
      collectSeldom()
    }
  }
  // Bun and Deno have caches of their own.
  module.enableCompileCache?.()
  const { runProcess } = await import("./main.ts")
  await runProcess()
} else {
  process.stderr.write(`landfall needs Node 22.20, 24.8 or later, not ${process.versions.node}.\n`)
  process.exitCode = 1
}
