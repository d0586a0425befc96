import { useEffect, useRef } from 'react'

/** After closing the settings or the dashboard, moves the focus to the button that leads there. `label`: of the button, while it is open. */
export function useFocusAfterSettings(label: string | undefined) {
  const before = useRef(label)
  const isOfChat = useRef(false)
  useEffect(() => {
    const was = before.current
    before.current = label
    const { paid, askedIn } = history.state ?? {}
    if (label) isOfChat.current = askedIn !== undefined
    // The field of the chat that led to the plans takes the focus.
    if (!was || label || paid || isOfChat.current) return
    // On a phone the buttons of the top stand in the menu of one.
    const openers = document.querySelectorAll<HTMLElement>(`.top [aria-label="${was}"], .top .you`)
    for (const opener of openers) if (opener.checkVisibility()) opener.focus()
  }, [label])
}
