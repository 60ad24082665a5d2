/** How much memory has a process ever had? */
import { readFileSync } from "node:fs"

/** The most memory that a process has ever had, in MB; null if the system does not report it (Linux does). */
export function readPeakMb(pid: number): number | null {
  const status = process.platform === "linux" ? readFileSync(`/proc/${pid}/status`, "utf8") : ""
  const kilobytes = /VmHWM:\s+(\d+) kB/.exec(status)?.[1]
  return kilobytes === undefined ? null : Number(kilobytes) / 1_024
}
