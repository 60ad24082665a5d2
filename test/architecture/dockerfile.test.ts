/**
 * The Dockerfile keeps the rules of hadolint that apply to it (https://github.com/hadolint/hadolint#rules), here by their numbers, because hadolint
 * does not come with the packages of this project.
 */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"

interface Instruction {
  readonly name: string
  readonly rest: string
}

/** The instructions of a Dockerfile, by stage. */
function readStages(text: string): readonly (readonly Instruction[])[] {
  const lines = text.replace(/^\s*#.*\n/gm, "").replace(/\\\n/g, " ")
  const stages: Instruction[][] = []
  for (const line of lines.split("\n").filter(each => each.trim() !== "")) {
    const [, name = "", rest = ""] = /^\s*(\w+)\s+(.*)$/.exec(line) ?? []
    if (name === "FROM") stages.push([])
    stages.at(-1)?.push({ name, rest: rest.trim() })
  }
  return stages
}

/** Which rules a Dockerfile breaks. */
function findBroken(text: string): readonly string[] {
  const stages = readStages(text)
  const all = stages.flat()
  const rests = (...names: readonly string[]) => all.filter(({ name }) => names.includes(name)).map(({ rest }) => rest)
  const isList = (command: string) => Array.isArray(JSON.parse(command.startsWith("[") ? command : "null"))
  const last = stages.at(-1) ?? []
  const user = last.findLast(({ name }) => name === "USER")?.rest ?? /:([^\s@]+)/.exec(last[0]?.rest ?? "")?.[1]
  const hasTwo = (name: string) => stages.some(stage => stage.filter(each => each.name === name).length > 1)
  const broken = {
    "DL3000 (WORKDIR is absolute)": rests("WORKDIR").some(path => !path.startsWith("/")),
    "DL3002 (the last user is not root)": user === undefined || !/^nonroot$|^[1-9]/.test(user),
    "DL3004 (no sudo)": rests("RUN").some(command => /\bsudo\b/.test(command)),
    "DL3006 (images have tags)": rests("FROM").some(image => !/^\S+[:@]\S+/.test(image)),
    "DL3007 (no tag latest)": rests("FROM").some(image => /^\S+:latest\b/.test(image)),
    "digest (images are pinned; a rule of this project)": rests("FROM").some(
      image => !/@sha256:[0-9a-f]{64}\b/.test(image),
    ),
    "DL3012 (one HEALTHCHECK)": hasTwo("HEALTHCHECK"),
    "DL3020 (COPY, not ADD)": rests("ADD").length > 0,
    "DL3025 (commands are lists)": [
      ...rests("CMD", "ENTRYPOINT"),
      ...rests("HEALTHCHECK").map(check => check.replace(/^.*?\bCMD\s+/, "")),
    ].some(command => !isList(command)),
    "DL4000 (no MAINTAINER)": rests("MAINTAINER").length > 0,
    "DL4003 (one CMD)": hasTwo("CMD"),
    "DL4004 (one ENTRYPOINT)": hasTwo("ENTRYPOINT"),
  }
  return Object.entries(broken).flatMap(([rule, isBroken]) => (isBroken ? [rule.slice(0, 6)] : []))
}

describe("the Dockerfile", () => {
  const IMAGE = "node:24-slim@sha256:a9f5f7c91a432850b2a8a7797adf5eadb6c733ceed61167806cee7ea7fbc29df"
  const text = readFileSync("Dockerfile", "utf8")

  it("keeps the rules", () => {
    expect(readStages(text)).toHaveLength(2)
    expect(findBroken(text)).toEqual([])
  })

  it.each([
    ["DL3000", "WORKDIR /landfall", "WORKDIR landfall"],
    ["DL3002", ":nonroot", ":debug"],
    ["DL3004", "npm ci", "sudo npm ci"],
    ["DL3006", IMAGE, "node", "digest"],
    ["digest", IMAGE, "node:24-slim"],
    ["DL3007", "node:24-slim", "node:latest"],
    ["DL3020", "COPY . .", "ADD . ."],
    ["DL3025", 'CMD ["serve"]', "CMD serve"],
    ["DL4003", 'CMD ["serve"]', 'CMD ["serve"]\nCMD ["serve"]'],
  ])("would break %s with another line", (rule, line, other, ...more) => {
    expect(text).toContain(line)
    expect(findBroken(text.replace(line, other))).toEqual([rule, ...more])
  })
})
