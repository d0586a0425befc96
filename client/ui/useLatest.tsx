import { type RefObject, useEffect, useRef } from 'react'

/** A ref to the newest value, for callbacks that run after a later render. */
export function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value)
  useEffect(() => {
    latest.current = value
  })
  return latest
}
