/**
 * Was the view painted yet? Parts below the first screen are drawn only then, so that the map has its colours and a pair its answer sooner.
 */
import { useEffect, useState } from "preact/hooks"

/** Calls back in the task after the next paint; returns the function that calls it off. Changes in a frame are painted at its end. */
function afterPaint(then: () => void): () => void {
  let task: ReturnType<typeof setTimeout> | undefined
  const frame = requestAnimationFrame(() => {
    task = setTimeout(then)
  })
  return () => {
    cancelAnimationFrame(frame)
    clearTimeout(task)
  }
}

/** Counts up to a number, by a step in each frame, so that no task is long. It never counts down. */
export function useGrowing(most: number, step: number): number {
  const [count, setCount] = useState(0)
  useEffect(() => (count < most ? afterPaint(() => setCount(count + step)) : undefined), [count, most, step])
  return count
}

/** Returns a value after the view without it was painted; the previous value until then, and at first another one. */
export function useAfterPaint<Value>(value: Value, first: Value): Value {
  const [shown, setShown] = useState(first)
  useEffect(() => afterPaint(() => setShown(value)), [value])
  return shown
}
