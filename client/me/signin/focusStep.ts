/** On a touch screen the focus would open the keyboard over the form. */
export const isTouch = (): boolean => globalThis.matchMedia?.('(pointer: coarse)').matches

const FIELDS = 'textarea, input[type="password"], input[autocapitalize="none"]'

/** Focuses the first empty field, or the title of a step to be read. */
export function focusStep(root: ParentNode | null | undefined): void {
  const fields = [...(root?.querySelectorAll<HTMLInputElement>(FIELDS) ?? [])].filter((field) => field.checkVisibility())
  const field = isTouch() ? undefined : (fields.find(({ value }) => value === '') ?? fields[0])
  const target = field ?? root?.querySelector<HTMLElement>('h1')
  target?.focus()
}
