/**
 * The files in deploy/ and examples/compose name settings, commands, paths, metrics and sections that exist. Expressions are read by a small
 * parser of the query language of Prometheus, because promtool does not come with the packages of this project.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { parse, parseAllDocuments } from "yaml"
import { listParts } from "../../adapters/cli/commands.ts"
import { DRAIN_MS } from "../../adapters/http/server/http-server.ts"
import { SETTINGS } from "../../adapters/settings/settings.ts"
import { startTestService } from "../http/service.ts"
import { share } from "../share.ts"

const TOKENS =
  /\s*(?:(?<number>\d+(?:\.\d+)?)(?![\w.])|(?<range>\[(?:\d+[smhd]|\$__rate_interval)\])|(?<name>[a-zA-Z_:][\w:]*)|(?<text>"[^"]*")|(?<op>=~|!~|!=|==|>=|<=|[-+*/<>={}(),]))/y

/** Reads an expression of Prometheus; returns the series that it names, and throws for anything that is not one. */
function readSeries(expression: string): readonly string[] {
  const tokens: { kind: string; text: string }[] = []
  TOKENS.lastIndex = 0
  while (TOKENS.lastIndex < expression.trimEnd().length) {
    const at = TOKENS.lastIndex
    const groups = TOKENS.exec(expression)?.groups
    const [kind, text] = Object.entries(groups ?? {}).find(([, found]) => found !== undefined) ?? []
    if (kind === undefined || text === undefined) throw new Error(`not understood: ${expression.slice(at)}`)
    tokens.push({ kind, text })
  }
  const series: string[] = []
  const peek = () => tokens[0]?.text
  const take = (wanted?: string) => {
    const token = tokens.shift()
    if (token === undefined || (wanted !== undefined && token.text !== wanted)) {
      throw new Error(`${wanted ?? "more"} is expected, not ${token?.text}, in ${expression}`)
    }
    return token
  }
  const readList = (open: string, close: string, read: () => void) => {
    take(open)
    while (peek() !== close) {
      read()
      if (peek() !== close) take(",")
    }
    take(close)
  }
  const AGGREGATIONS = ["sum", "min", "max", "avg", "count"]
  const FUNCTIONS = ["rate", "increase", "histogram_quantile", "absent", "time"]
  const readUnit = (): void => {
    const token = take()
    if (token.text === "(") {
      readExpression()
      take(")")
    } else if (token.text === "-") readUnit()
    else if (token.kind === "number") return
    else if (token.kind !== "name") throw new Error(`not a value: ${token.text}`)
    else if (AGGREGATIONS.includes(token.text) || FUNCTIONS.includes(token.text)) {
      if (peek() === "by") {
        take()
        readList("(", ")", () => take())
      }
      readList("(", ")", readExpression)
    } else {
      series.push(token.text)
      if (peek() === "{") {
        readList("{", "}", () => {
          assert.strictEqual(take().kind, "name")
          assert.include(["=", "!=", "=~", "!~"], take().text)
          assert.strictEqual(take().kind, "text")
        })
      }
      if (tokens[0]?.kind === "range") take()
    }
  }
  const OPERATORS = ["+", "-", "*", "/", ">", "<", ">=", "<=", "==", "!=", "and", "or", "unless"]
  function readExpression(): void {
    readUnit()
    while (OPERATORS.includes(peek() ?? "")) {
      take()
      readUnit()
    }
  }
  readExpression()
  if (tokens.length > 0) throw new Error(`too much: ${peek()} in ${expression}`)
  return series
}

interface Rule {
  readonly alert?: string
  readonly record?: string
  readonly expr: string
  readonly for?: string
  readonly labels?: { readonly severity: string }
  readonly annotations?: { readonly summary: string; readonly runbook: string }
}

const rules = (
  parse(readFileSync("deploy/prometheus-rules.yaml", "utf8")) as { groups: { rules: Rule[] }[] }
).groups.flatMap(group => group.rules)
const board = JSON.parse(readFileSync("deploy/grafana-dashboard.json", "utf8")) as {
  panels: { id: number; title: string; targets: { expr: string }[] }[]
}
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .trim()
    .replaceAll(/\s+/g, "-")

const running = share(() => startTestService())

describe("the alerts and the dashboard", () => {
  it("name only metrics that the service shows, in expressions that can be read", async () => {
    const shown = new Set<string>()
    await running.ask("/healthz")
    const { text } = await running.ask("/metrics")
    for (const [, name, type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
      for (const suffix of type === "histogram" ? ["_bucket", "_sum", "_count"] : [""]) shown.add(name + suffix)
    }
    for (const { record } of rules) if (record !== undefined) shown.add(record)
    const expressions = [
      ...rules.map(({ expr }) => expr),
      ...board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ]
    assert.isAbove(expressions.length, 30)
    for (const expression of expressions) {
      for (const name of readSeries(expression)) assert.isTrue(shown.has(name), `${name} in ${expression}`)
    }
  })

  it("would notice a mistake", () => {
    for (const wrong of ["sum(rate(a[5m])", "a >", "rate(a[5x])", "a{b=c}", "sum by le (a)", "a b"]) {
      assert.throws(() => readSeries(wrong), undefined, undefined, wrong)
    }
  })

  it("say who is called, and where it is written what to do", () => {
    const page = readFileSync("docs/slo.md", "utf8")
    for (const { alert, labels, annotations, for: during } of rules) {
      if (alert === undefined) continue
      assert.include(page, `\`${alert}\``)
      assert.include(["page", "ticket"], labels?.severity)
      assert.match(during ?? "", /^\d+[mhd]$/)
      assert.match(annotations?.summary ?? "", /\.$/)
      const [file = "", anchor] = (annotations?.runbook ?? "").split("#")
      const headings = [...readFileSync(file, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
        anchorOf(heading),
      )
      assert.include(headings, anchor, alert)
    }
    const ids = board.panels.map(({ id }) => id)
    assert.strictEqual(new Set(ids).size, ids.length)
  })
})

interface Container {
  readonly args: readonly string[]
  readonly env?: readonly { readonly name: string }[]
  readonly livenessProbe?: { readonly httpGet: { readonly path: string } }
  readonly readinessProbe?: { readonly httpGet: { readonly path: string } }
  readonly securityContext: Readonly<Record<string, boolean>>
}
/** Every value of a property, however deep. */
function findAll(value: unknown, name: string): unknown[] {
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [...(key === name ? [inner] : []), ...findAll(inner, name)])
}

describe("the manifests", () => {
  const settings = new Set<string>(SETTINGS.map(({ name }) => name))
  const manifests = parseAllDocuments(readFileSync("deploy/kubernetes.yaml", "utf8")).map(document => {
    assert.deepStrictEqual(document.errors, [])
    return document.toJS() as { kind: string; metadata: { name: string }; data?: Record<string, string> }
  })

  it("name only settings that exist", () => {
    const texts = ["deploy", "examples/compose"].flatMap(folder =>
      readdirSync(folder).map(name => readFileSync(`${folder}/${name}`, "utf8")),
    )
    for (const [name] of texts.join("\n").matchAll(/\bLANDFALL_[A-Z_0-9]+/g)) {
      assert.isTrue(settings.has(name) || name === "LANDFALL_PORT", name)
    }
  })

  it("start commands that exist, without rights, and ask the paths that are meant for it", async () => {
    const names = listParts("")
    const pods = findAll(manifests, "containers")
    assert.lengthOf(pods, 4)
    for (const container of pods.flat() as Container[]) {
      assert.include(names, container.args[0])
      assert.deepInclude(container.securityContext, { runAsNonRoot: true, readOnlyRootFilesystem: true })
      if (container.args[0] !== "serve") continue
      assert.strictEqual(container.livenessProbe?.httpGet.path, "/healthz")
      assert.strictEqual(container.readinessProbe?.httpGet.path, "/readyz")
    }
    for (const links of findAll(manifests, "enableServiceLinks")) assert.isFalse(links)
    const compose = parse(readFileSync("examples/compose/compose.yaml", "utf8"), { merge: true }) as {
      services: Record<string, { command?: string[]; build?: { context: string } }>
    }
    assert.deepStrictEqual(
      ["worker", "backup"].map(name => compose.services[name]?.command?.[0]),
      ["worker", "backup"],
    )
    assert.isTrue(existsSync(`examples/compose/${compose.services.worker?.build?.context}/Dockerfile`))
  })

  it("refer only to what they make, or what their head says how to make", () => {
    const made = (kind: string) => manifests.filter(each => each.kind === kind).map(({ metadata }) => metadata.name)
    const namesOf = (property: string) => findAll(manifests, property).flatMap(found => findAll({ found }, "name"))
    assert.includeMembers(made("ConfigMap"), namesOf("configMapRef"))
    assert.includeMembers(made("PersistentVolumeClaim"), findAll(manifests, "claimName"))
    const [, secret] = /create secret generic (\S+)/.exec(readFileSync("deploy/kubernetes.yaml", "utf8")) ?? []
    assert.deepStrictEqual([...new Set(namesOf("secretRef"))], [secret])
    // A Service, a budget and a Deployment choose pods by the labels that the pods have.
    const labels = findAll(manifests, "template").flatMap(each => findAll(each, "labels"))
    for (const selector of findAll(manifests, "selector")) {
      const wanted = (selector as { matchLabels?: object }).matchLabels ?? selector
      assert.deepInclude(labels, wanted)
    }
  })

  it("wait for longer than a node takes to stop", () => {
    const drain = Number(manifests.find(({ kind }) => kind === "ConfigMap")?.data?.LANDFALL_DRAIN_SECONDS)
    const graces = findAll(manifests, "terminationGracePeriodSeconds") as number[]
    assert.lengthOf(graces, 2)
    for (const grace of graces) assert.isAbove(grace, drain + DRAIN_MS / 1_000)
    const unit = readFileSync("deploy/landfall.service", "utf8")
    const [, stop] = /^TimeoutStopSec=(\d+)$/m.exec(unit) ?? []
    const [, drains] = /LANDFALL_DRAIN_SECONDS=(\d+)/.exec(unit) ?? []
    assert.isAbove(Number(stop), Number(drains) + DRAIN_MS / 1_000)
  })

  it("do not start again what cannot start: a wrong call, and tables of another version", () => {
    assert.match(readFileSync("deploy/landfall.service", "utf8"), /^RestartPreventExitStatus=2 4$/m)
  })
})
