export const FIELD = '.compose textarea'

/** False where the focus in a field opens an on-screen keyboard. */
export const hasKeyboard = (): boolean => matchMedia('(pointer: fine) and (min-width: 768px)').matches

/** undefined if nothing can be written. */
export function composer(): HTMLElement | undefined {
  const field = document.querySelector(FIELD)
  return field && takesFocus(field) ? field : undefined
}

/** Focuses the composer. False where there is none, or that would open an on-screen keyboard. */
export function writeOn(): boolean {
  const field = hasKeyboard() ? composer() : undefined
  field?.focus({ preventScroll: true })
  return field !== undefined
}

export const takesFocus = (part: Element): part is HTMLElement =>
  part instanceof HTMLElement && part.isConnected && part.checkVisibility() && !part.matches(':disabled')
