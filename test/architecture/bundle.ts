/** Bundles code as an app for browsers does, small and with nothing of Node. */
import { build } from "esbuild"

export async function bundleForBrowser(code: string): Promise<string> {
  const result = await build({
    stdin: { contents: code, resolveDir: process.cwd(), loader: "ts" },
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    globalName: "landfall",
    platform: "browser",
    charset: "utf8",
  })
  return result.outputFiles[0]?.text ?? ""
}
