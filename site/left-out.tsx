/**
 * What of a view is left out on paper, so that it is printed on one page?
 *
 * Long lists show their first lines there. Further lines have the class `beyond`, and one line says what was left out, how much, and where
 * all of it stands. It is in the page at all times, because a browser prints without asking.
 */
import { Arriving } from "./controls/controls.tsx"
import { usePage } from "./page-context.ts"

/** How many lines of each list are printed. */
export const PRINTED_LINES = {
  safety: 1,
  missions: 4,
  history: 4,
  sources: 6,
  remoteWork: 3,
} as const

/** Returns the class of a line of a list. */
export const lineOnPaper = (at: number, most: number): "beyond" | undefined => (at < most ? undefined : "beyond")

/** Counts the lines of a list that are left out. */
export const beyond = (lines: readonly unknown[] | undefined, most: number): number =>
  Math.max(0, (lines?.length ?? 0) - most)

/** A list that is shortened: its heading, and how many of its lines are left out. */
export type LeftOutList = readonly [heading: string, count: number]

interface LeftOutProps {
  /** Headings of what is left out, with the number of lines. */
  readonly parts: readonly string[]
  /** Where all of it stands. */
  readonly link: string
}

export function LeftOut({ parts, link }: LeftOutProps) {
  const { words } = usePage()
  if (parts.length === 0) return null
  return (
    <p class="note left-out">
      {words.say("print.left_out", { parts: words.locale.list(parts), address: new URL(link, location.href).href })}
    </p>
  )
}

interface AwaitedProps extends Pick<LeftOutProps, "link"> {
  readonly hasFailed: boolean
}

/** Stands for what is recorded until it arrives; on paper it says that this is missing. */
export function AwaitedRecord({ hasFailed, link }: AwaitedProps) {
  const { words } = usePage()
  return (
    <>
      <div class="below">
        <Arriving hasFailed={hasFailed} />
      </div>
      <LeftOut parts={[words.say("pair.more"), words.say("pair.missions")]} link={link} />
    </>
  )
}
