/** Bundles code as an app for browsers does, small and with nothing of Node. */
import { build } from "esbuild"

/** Returns the bundle; without the embedded data if `hasData` is false. */
export async function bundleForBrowser(code: string, { hasData = true } = {}): Promise<string> {
  const result = await build({
    external: hasData ? [] : ["*.generated.ts"],
    stdin: { contents: code, resolveDir: process.cwd(), loader: "ts" },
    bundle: true,
    minify: true,
    write: false,
    format: hasData ? "iife" : "esm",
    globalName: "landfall",
    platform: "browser",
    charset: "utf8",
  })
  return result.outputFiles[0]?.text ?? ""
}
