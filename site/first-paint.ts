/**
 * Was the view painted yet? Parts below the first screen are drawn only then, so that the map has its colours and a pair its answer sooner.
 */
import { useEffect, useState } from "preact/hooks"

let isPainted = false

/** Says whether the first view was painted. */
export function useFirstPaint(): boolean {
  const [isKnown, setKnown] = useState(isPainted)
  useEffect(() => {
    if (isPainted) return
    // Changes in a frame are painted at its end, so the next task comes after the paint.
    const frame = requestAnimationFrame(() =>
      setTimeout(() => {
        isPainted = true
        setKnown(true)
      }),
    )
    return () => cancelAnimationFrame(frame)
  }, [])
  return isKnown
}

/** Counts up to a number, by a step in each frame, so that no task is long. It never counts down. */
export function useGrowing(most: number, step: number): number {
  const [count, setCount] = useState(0)
  useEffect(() => {
    if (count >= most) return
    let task: ReturnType<typeof setTimeout> | undefined
    const frame = requestAnimationFrame(() => {
      task = setTimeout(() => setCount(count + step))
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(task)
    }
  }, [count, most, step])
  return count
}

/** Returns a value after the view without it was painted; the previous value until then, and at first another one. */
export function useAfterPaint<Value>(value: Value, first: Value): Value {
  const [shown, setShown] = useState(first)
  useEffect(() => {
    let task: ReturnType<typeof setTimeout> | undefined
    const frame = requestAnimationFrame(() => {
      task = setTimeout(() => setShown(value))
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(task)
    }
  }, [value])
  return shown
}
