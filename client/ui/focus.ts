/** True while the page is in front of somebody. */
export const isLookedAt = (): boolean =>
  typeof document === 'undefined' || (document.visibilityState === 'visible' && document.hasFocus())
