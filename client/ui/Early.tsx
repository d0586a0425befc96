import { useLayoutEffect, useRef } from 'react'

/** What was typed for a field whose code is on its way, and where the focus was before. */
export interface Early {
  typed: string
  isEntered: boolean
  opener: Element | null
}

let early: Early | undefined

/** Takes what was typed early. Asked once, by the field that goes on with it. */
export function takeEarly(): Early | undefined {
  const taken = early
  early = undefined
  return taken
}

/**
 * Takes the keys of whoever types on while the code of a field is loaded: the letters would go into the open chat, and Enter would
 * send them.
 */
export function EarlyField({ onClose }: { onClose: () => void }) {
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    early = { typed: '', isEntered: false, opener: document.activeElement }
    field.current?.focus()
  }, [])
  const note = (more: Partial<Early>) => early && Object.assign(early, more)
  return (
    <input
      ref={field}
      className="sr"
      dir="auto"
      aria-label="Loading"
      autoComplete="off"
      onChange={({ target }) => note({ typed: target.value })}
      onKeyDown={({ key, nativeEvent }) => {
        if (key === 'Enter' && !nativeEvent.isComposing) note({ isEntered: true })
        if (key === 'Escape') onClose()
      }}
    />
  )
}
