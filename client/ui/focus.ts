/** True while the page is visible and has the focus. */
export const isLookedAt = (): boolean =>
  typeof document === 'undefined' || (document.visibilityState === 'visible' && document.hasFocus())
