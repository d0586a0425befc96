import { createStore } from 'zustand/vanilla'

export interface Toast {
  id: number
  tone: 'plain' | 'good' | 'bad'
  title: string
  text: string
  /** True if other actions must not drop the toast, such as that of a CryptoFailure. */
  mustBeSeen: boolean
  /** What takes the told action back, or goes another way. */
  action?: { words: string; run: () => void }
  /** Toasts of one kind become a single one, with these words. */
  many?: { kind: string; words: (count: number) => { title: string; text: string } }
  /** How many it tells of. */
  count: number
}

/** The first is on screen. */
export const toastStore = createStore<{ queue: Toast[] }>(() => ({ queue: [] }))

/** More would still be shown half a minute later. */
const QUEUE_MAX = 6

let lastId = 0

type Given = Omit<Toast, 'id' | 'count' | 'mustBeSeen'> & { mustBeSeen?: boolean }

/** Adds a toast unless one with the same words waits. */
export function showToast({ mustBeSeen = false, ...toast }: Given): void {
  lastId += 1
  const added = { ...toast, mustBeSeen, count: 1, id: lastId }
  toastStore.setState(({ queue }) => {
    if (queue.some(({ title, text }) => title === toast.title && text === toast.text)) return { queue }
    const alike = toast.many && queue.find(({ many }) => many?.kind === toast.many?.kind)
    if (!alike?.many) return { queue: bounded([...queue, added]) }
    const count = alike.count + 1
    return { queue: queue.map((one) => (one === alike ? { ...alike, ...alike.many?.words(count), count } : one)) }
  })
}

export function dismissToast(id: number): void {
  toastStore.setState(({ queue }) => ({ queue: queue.filter((toast) => toast.id !== id) }))
}

/** Drops toasts of an earlier action or screen, except those that must be seen. A mere move leaves what can still be taken back. */
export function dropToasts(isMove = false): void {
  toastStore.setState(({ queue }) => ({ queue: queue.filter(({ mustBeSeen, action }) => mustBeSeen || (isMove && action)) }))
}

/** Drops the oldest that waits; one that must be seen only if all others must. */
function bounded(queue: Toast[]): Toast[] {
  if (queue.length <= QUEUE_MAX) return queue
  const waiting = queue.slice(1)
  const oldest = waiting.find(({ mustBeSeen }) => !mustBeSeen) ?? waiting[0]
  return queue.filter((toast) => toast !== oldest)
}
