/** What the keys of the messenger do, wherever the focus is. */
export type KeyVerb = 'palette' | 'keys' | 'previous' | 'next' | 'back'

type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'isComposing'>

/** `text`: a field of several lines. `own`: a part with its own Escape, such as the list. */
export type Place = 'text' | 'field' | 'own' | 'elsewhere'

/** The verb of a key; undefined where it belongs to what has the focus. */
export function verbOf({ key, ctrlKey, metaKey, altKey, shiftKey, isComposing }: Pressed, place: Place): KeyVerb | undefined {
  if (isComposing) return undefined
  const isCommand = ctrlKey !== metaKey
  if (isCommand && !altKey && !shiftKey && key.toLowerCase() === 'k') return 'palette'
  if (ctrlKey || metaKey) return undefined
  if (altKey) return shiftKey ? undefined : key === 'ArrowUp' ? 'previous' : key === 'ArrowDown' ? 'next' : undefined
  if (key === '?' && (place === 'own' || place === 'elsewhere')) return 'keys'
  return key === 'Escape' && place !== 'field' ? 'back' : undefined
}

/** A letter, or the beginning of one that an input method or a dead key makes. */
const LETTER = /^(\p{L}|Dead|Process)$/u

/** True for a letter that is pressed where nobody takes it: it belongs to the composer. */
export const isWritten = ({ key, ctrlKey, metaKey, altKey }: Pressed, place: Place): boolean =>
  LETTER.test(key) && !ctrlKey && !metaKey && !altKey && (place === 'own' || place === 'elsewhere')

/** The room above or below the open one; the first or the last where none is open. Stops at both ends. */
export function roomBeside(ids: string[], openId: string | undefined, step: -1 | 1): string | undefined {
  const at = openId === undefined ? -1 : ids.indexOf(openId)
  if (at < 0) return step > 0 ? ids[0] : ids.at(-1)
  return ids[at + step]
}
