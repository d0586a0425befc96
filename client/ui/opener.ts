const FIELD = '.compose textarea'
const TITLE = 'h1[tabindex], h2[tabindex]'
/** The focus goes here if nothing around the old place is left. */
const HOMES = [FIELD, TITLE, '.find input']

/**
 * Notes what has the focus now. The returned function gives it back, as after a dialog. If that element has gone, the nearest part around
 * it gets the focus, unless something else has it by then: the keyboard never starts again at the top of the page.
 */
export function noteFocus(): () => void {
  const opener = document.activeElement
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

const takesFocus = (part: Element): part is HTMLElement =>
  part instanceof HTMLElement && part.isConnected && part.checkVisibility() && !part.matches(':disabled')
