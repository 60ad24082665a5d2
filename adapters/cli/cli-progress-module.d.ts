/** `cli-progress` includes no types; these are the parts that the bar of a batch uses. */
declare module "cli-progress" {
  interface Options {
    readonly format: string
    readonly stream: NodeJS.WritableStream
    readonly hideCursor: boolean
    readonly clearOnComplete: boolean
    readonly etaBuffer: number
  }

  export class SingleBar {
    constructor(options: Options)
    start(total: number, done: number, shown: Readonly<Record<string, string>>): void
    update(done: number, shown: Readonly<Record<string, string>>): void
    stop(): void
  }
}
