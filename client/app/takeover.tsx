import { flushSync } from 'react-dom'

type Control = HTMLInputElement | HTMLButtonElement

const controlsIn = (root: Element, within = ''): Control[] => [...root.querySelectorAll<Control>(`${within} :is(input, button)`)]

/**
 * Notes what the person has typed and pressed in the static form while the code was loading. The returned function does the same in
 * the live form, whose controls are the same in the same order.
 */
export function noteTyped(root: Element): () => void {
  const controls = controlsIn(root, '.frame-form')
  const values = controls.map((control) => (control instanceof HTMLInputElement ? control.value : ''))
  const pressed = globalThis.early?.pressed
  const pressedAt = controls.findIndex((control) => pressed?.isSameNode(control))
  const focused = controls.find((control) => control.matches(':focus'))
  const focusedAt = focused ? controls.indexOf(focused) : -1
  return () => {
    const live = controlsIn(root)
    for (const [at, value] of values.entries()) {
      const input = live[at]
      if (value !== '' && input instanceof HTMLInputElement) typeInto(input, value)
    }
    const target = live[focusedAt]
    target?.focus()
    if (target instanceof HTMLInputElement && focused instanceof HTMLInputElement)
      target.setSelectionRange(focused.selectionStart, focused.selectionEnd)
    // Tabs open by the focus; other buttons by a click.
    const again = live[pressedAt]
    if (again?.role === 'tab') again.focus()
    else again?.click()
  }
}

/** As if typed: React takes an input's own setter for a change of its own, so the prototype's is called. */
function typeInto(input: HTMLInputElement, value: string): void {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, value)
  // Each change is rendered before the next, as it is when a person types.
  flushSync(() => input.dispatchEvent(new Event('input', { bubbles: true })))
}
