import { flushSync } from 'react-dom'

type Control = HTMLInputElement | HTMLButtonElement

const controlsIn = (root: Element, within = ''): Control[] => [...root.querySelectorAll<Control>(`${within} :is(input, button)`)]

/** By what a control of the static form is found in the live one, which may have more of them. */
const nameOf = (control: Control): string =>
  control.getAttribute('aria-label') ?? (control.textContent || control.labels?.[0]?.textContent || '')

/** Finds the control with the same name in the live form; of several the one at the same place among them. */
function finderOf(control: Control, at: number, all: Control[]): (live: Control[]) => Control | undefined {
  const name = nameOf(control)
  const place = all.slice(0, at).filter((one) => nameOf(one) === name).length
  return (live) => live.filter((one) => nameOf(one) === name)[place]
}

/**
 * Notes what the person has typed and pressed in the static form while the code was loading. The returned function does the same in
 * the live form.
 */
export function noteTyped(root: Element): () => void {
  const controls = controlsIn(root, '.frame-form')
  const noted = controls.map((control, at, all) => ({
    control,
    find: finderOf(control, at, all),
    isPressed: globalThis.early?.pressed?.isSameNode(control) === true,
    isFocused: control.matches(':focus'),
  }))
  return () => {
    const live = controlsIn(root)
    for (const { control, find } of noted) {
      const input = find(live)
      if (control.value !== '' && input instanceof HTMLInputElement) typeInto(input, control.value)
    }
    const focused = noted.find(({ isFocused }) => isFocused)
    const target = focused?.find(live)
    target?.focus()
    if (target instanceof HTMLInputElement && focused?.control instanceof HTMLInputElement)
      target.setSelectionRange(focused.control.selectionStart, focused.control.selectionEnd)
    const again = noted.find(({ isPressed }) => isPressed)?.find(live)
    // The button may be disabled until the server has said that the name is free; the form waits for that.
    if (again?.type === 'submit') again.form?.requestSubmit()
    // Tabs open by the focus.
    else if (again?.role === 'tab') again.focus()
    else again?.click()
  }
}

/** React takes an input's own setter for a change of its own, so this calls the prototype's. */
function typeInto(input: HTMLInputElement, value: string): void {
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, value)
  // Each change is rendered before the next, as it is when a person types.
  flushSync(() => input.dispatchEvent(new Event('input', { bubbles: true })))
}
