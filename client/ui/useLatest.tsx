import { type RefObject, useEffect, useRef } from 'react'

/** The newest value, for what runs later than the render that it was made in. */
export function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value)
  useEffect(() => {
    latest.current = value
  })
  return latest
}
