import { FIELD, takesFocus, writeOn } from './writeOn.ts'

const TITLE = 'h1[tabindex], h2[tabindex]'
/** The focus goes here if nothing around the old place is left. */
const HOMES = [FIELD, TITLE, '.find input']

// The press comes before this code.
let isByPointer = !globalThis.document?.activeElement?.matches(':focus-visible')
for (const type of ['pointerdown', 'keydown'])
  globalThis.addEventListener?.(
    type,
    () => {
      isByPointer = type === 'pointerdown'
    },
    true,
  )

/** True if the last press was a key. */
export const isByKey = (): boolean => !isByPointer

/**
 * Notes what has the focus as something opens. The returned function, for when that has closed, focuses the composer. Whoever came by key,
 * from a field or out of a panel stands there again.
 */
export function noteOpener(opener = document.activeElement): () => void {
  const place = opener?.closest('.details, [role="dialog"], [role="alertdialog"]')
  const isTheirs = opener?.matches('input, textarea') || (isByKey() && opener !== document.body)
  const giveBack = noteFocus(opener)
  return () => {
    // What has it by then keeps it, but for the panel that closes.
    const now = document.activeElement
    if (now !== document.body && !now?.closest('.details')) return
    if (place?.isConnected || (isTheirs && opener && takesFocus(opener)) || !writeOn()) giveBack()
  }
}

/**
 * Notes what has the focus now. The returned function gives it back. If that element has gone, the nearest part around
 * it gets the focus, unless something else has it by then: the keyboard never starts again at the top of the page.
 */
export function noteFocus(opener = document.activeElement): () => void {
  const around: Element[] = []
  for (let part = opener?.parentElement; part && part !== document.body; part = part.parentElement) around.push(part)
  return () => {
    if (opener && opener !== document.body && takesFocus(opener)) return opener.focus()
    if (document.activeElement !== document.body) return
    const places = around.filter(({ isConnected }) => isConnected).flatMap(placesIn)
    for (const place of [...places, ...HOMES.flatMap((home) => [...document.querySelectorAll(home)])])
      if (takesFocus(place)) return place.focus()
  }
}

/** What takes the focus in a part of the page in place of something that was there. */
function placesIn(part: Element): Element[] {
  if (part.hasAttribute('tabindex')) return [part]
  const found = (query: string) => [...part.querySelectorAll(query)]
  if (part.matches('section')) return [...found(FIELD), ...found(TITLE), ...found('button')]
  return part.matches('main, aside') ? [...found(FIELD), ...found(TITLE)] : []
}
