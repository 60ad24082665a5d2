/**
 * Which engines that share work are installed on this machine, and how is one started for a test? Each runs on loopback, with its files in a folder of its own,
 * and is stopped with the test. What is missing is named with the Debian package that has it.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { chmodSync, existsSync, mkdirSync, openSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { availableParallelism, hostname, userInfo } from "node:os"
import { join } from "node:path"

const runs = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0
// Debian installs its daemons where only root's path leads.
const PATH = `${process.env.PATH}:/usr/sbin:/sbin`

/** The Python that has Dask; null where none has. */
export const DASK_PYTHON =
  ["python3", "/usr/bin/python3"].find(python => runs(python, "-c", "import distributed")) ?? null
/** Whether GNU parallel is installed; `parallel` of moreutils is another program. */
export const HAS_PARALLEL = /^GNU parallel/.test(
  spawnSync("parallel", ["--version"], { encoding: "utf8" }).stdout ?? "",
)
/** Whether Slurm and its authentication are installed. */
export const HAS_SLURM = ["slurmctld", "slurmd", "munged"].every(
  daemon => spawnSync("sh", ["-c", `command -v ${daemon}`], { env: { ...process.env, PATH } }).status === 0,
)

/** What has to be installed for the engines that are missing. */
export function listMissing(): readonly string[] {
  return [
    ...(DASK_PYTHON === null ? ["Dask: apt-get install python3-distributed"] : []),
    ...(HAS_SLURM ? [] : ["Slurm: apt-get install slurm-wlm"]),
    ...(HAS_PARALLEL ? [] : ["GNU parallel: apt-get install parallel"]),
  ]
}

/** Programs that were started, to be stopped. */
export interface Engine {
  readonly env: NodeJS.ProcessEnv
  readonly workers: readonly ChildProcess[]
  readonly stop: () => Promise<void>
}

async function stopAll(children: readonly ChildProcess[]): Promise<void> {
  for (const child of children.toReversed()) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const ended = once(child, "exit")
    child.kill("SIGTERM")
    await ended
  }
}

/** Waits until a program ends with 0. */
async function waitFor(isReady: () => boolean, what: string): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (isReady()) return
    await once(spawn("sleep", ["0.1"]), "exit")
  }
  throw new Error(`${what} did not start.`)
}

/** Starts Dask's scheduler and two workers; `LANDFALL_SCHEDULER` in its environment is the scheduler's address. */
export async function startDask(python: string, folder: string): Promise<Engine> {
  const file = join(folder, "scheduler.json")
  const log = openSync(join(folder, "dask.log"), "w")
  const start = (module: string, ...args: readonly string[]) =>
    spawn(python, ["-m", `distributed.cli.${module}`, "--scheduler-file", file, ...args], {
      stdio: ["ignore", log, log],
      cwd: folder,
    })
  const scheduler = start("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--dashboard-address", "127.0.0.1:0")
  await waitFor(() => existsSync(file), "Dask's scheduler")
  const workers = ["one", "two"].map(name =>
    start(
      "dask_worker",
      "--no-nanny",
      "--nthreads",
      "1",
      "--name",
      name,
      "--local-directory",
      join(folder, name),
      "--no-dashboard",
    ),
  )
  const code = `import json; print(json.load(open(${JSON.stringify(file)}))["address"])`
  const address = execFileSync(python, ["-c", code], { encoding: "utf8" }).trim()
  const env = { ...process.env, LANDFALL_SCHEDULER: address }
  return { env, workers, stop: () => stopAll([scheduler, ...workers]) }
}

async function findPorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"))
  await Promise.all(servers.map(server => once(server, "listening")))
  const ports = servers.map(server => (server.address() as { readonly port: number }).port)
  await Promise.all(servers.map(server => new Promise(done => server.close(done))))
  return ports
}

/** Starts Slurm with one node that has the cores of this machine, with its own authentication. */
export async function startSlurm(folder: string): Promise<Engine> {
  const [controlPort, nodePort] = await findPorts(2)
  const [host, user, config] = [hostname(), userInfo().username, join(folder, "slurm.conf")]
  // The authentication refuses folders that others may write to.
  chmodSync(folder, 0o755)
  for (const name of ["state", "spool"]) mkdirSync(join(folder, name))
  const place = (name: string) => join(folder, name)
  writeFileSync(place("munge.key"), randomBytes(1024), { mode: 0o600 })
  writeFileSync(
    config,
    `ClusterName=landfall
SlurmctldHost=${host}(127.0.0.1)
SlurmUser=${user}
SlurmdUser=${user}
AuthType=auth/munge
AuthInfo=socket=${place("munge.socket")}
SlurmctldPort=${controlPort}
SlurmdPort=${nodePort}
SlurmctldPidFile=${place("slurmctld.pid")}
SlurmdPidFile=${place("slurmd.pid")}
StateSaveLocation=${place("state")}
SlurmdSpoolDir=${place("spool")}
SwitchType=switch/none
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
NodeName=${host} NodeAddr=127.0.0.1 CPUs=${availableParallelism()} RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`,
  )
  const env = { ...process.env, PATH, SLURM_CONF: config }
  const log = openSync(place("slurm.log"), "w")
  const start = (program: string, ...args: readonly string[]) =>
    spawn(program, args, { stdio: ["ignore", log, log], env, cwd: folder })
  const files = ["socket", "log", "pid", "seed"].map(
    name => `--${name}${name === "socket" ? "" : "-file"}=${place(`munge.${name}`)}`,
  )
  const munge = start("munged", "--foreground", "--force", `--key-file=${place("munge.key")}`, ...files)
  await waitFor(() => existsSync(place("munge.socket")), "munged")
  const control = start("slurmctld", "-D", "-f", config)
  const node = start("slurmd", "-D", "-f", config, "-N", host)
  await waitFor(() => /idle/.test(spawnSync("sinfo", ["-h", "-o", "%t"], { env, encoding: "utf8" }).stdout), "Slurm")
  return { env, workers: [node], stop: () => stopAll([munge, control, node]) }
}
