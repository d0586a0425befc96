import { useEffect, useRef } from 'react'
import { SETTINGS } from './SidebarTop.tsx'

/** After closing the settings, moves the focus to the button that leads there. */
export function useFocusAfterSettings(isSettings: boolean) {
  const before = useRef(isSettings)
  useEffect(() => {
    const wasSettings = before.current
    before.current = isSettings
    // Whoever has paid, as the rest of the address says, goes on writing.
    if (!wasSettings || isSettings || location.search) return
    // On a phone the buttons of the top stand in the menu of one.
    const openers = document.querySelectorAll<HTMLElement>(`.top [aria-label="${SETTINGS}"], .top .you`)
    for (const opener of openers) if (opener.checkVisibility()) opener.focus()
  }, [isSettings])
}
