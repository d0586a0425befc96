import { createStore } from 'zustand/vanilla'

export interface Toast {
  id: number
  tone: 'plain' | 'good' | 'bad'
  title: string
  text: string
  /** Must be seen whatever the person does meanwhile, such as a failure of cryptography. */
  mustBeSeen: boolean
}

/** The first one is on screen for its time, the others wait for it to end, in their order. */
export const toastStore = createStore<{ queue: Toast[] }>(() => ({ queue: [] }))

/** More would still be read out half a minute later. */
const QUEUE_MAX = 6

let lastId = 0

/** Puts a toast behind those that wait. Words that are shown or wait already are not said twice. */
export function showToast({ mustBeSeen = false, ...toast }: Omit<Toast, 'id' | 'mustBeSeen'> & { mustBeSeen?: boolean }): void {
  lastId += 1
  const added = { ...toast, mustBeSeen, id: lastId }
  toastStore.setState(({ queue }) =>
    queue.some(({ title, text }) => title === toast.title && text === toast.text)
      ? { queue }
      : { queue: bounded([...queue, added]) },
  )
}

export function dismissToast(id: number): void {
  toastStore.setState(({ queue }) => ({ queue: queue.filter((toast) => toast.id !== id) }))
}

/** A new action or screen has begun: what was said about the one before is old. */
export function dropToasts(): void {
  toastStore.setState(({ queue }) => ({ queue: queue.filter(({ mustBeSeen }) => mustBeSeen) }))
}

/** Where too many wait, the oldest one of them gives way, and one that must be seen only to others that must. */
function bounded(queue: Toast[]): Toast[] {
  if (queue.length <= QUEUE_MAX) return queue
  const waiting = queue.slice(1)
  const oldest = waiting.find(({ mustBeSeen }) => !mustBeSeen) ?? waiting[0]
  return queue.filter((toast) => toast !== oldest)
}
