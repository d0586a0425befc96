import { useEffect, useRef } from 'react'

/** After closing the settings or the dashboard, moves the focus to the button that leads there. `label`: of the button, while it is open. */
export function useFocusAfterSettings(label: string | undefined) {
  const before = useRef(label)
  useEffect(() => {
    const was = before.current
    before.current = label
    // Somebody has paid, who goes on writing.
    if (!was || label || history.state?.paid) return
    // On a phone the buttons of the top stand in the menu of one.
    const openers = document.querySelectorAll<HTMLElement>(`.top [aria-label="${was}"], .top .you`)
    for (const opener of openers) if (opener.checkVisibility()) opener.focus()
  }, [label])
}
