/** Key of localStorage: the size of what people write, which client/early.js has shown before the first paint. A sign-out keeps it. */
const KEY = 'text'

/** The sizes by their names in client/ui/tokens.css; '' is the middle one. */
export type TextSize = 'small' | '' | 'large' | 'largest'

export const shownTextSize = (): TextSize => {
  const { text } = document.documentElement.dataset
  return text === 'small' || text === 'large' || text === 'largest' ? text : ''
}

export function showTextSize(size: TextSize): void {
  const { dataset } = document.documentElement
  if (size) dataset['text'] = size
  else delete dataset['text']
  try {
    if (size) localStorage.setItem(KEY, size)
    else localStorage.removeItem(KEY)
  } catch {
    // If storage is blocked, the choice lasts until the page is closed.
  }
}
