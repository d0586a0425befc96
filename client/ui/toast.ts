import { createStore } from 'zustand/vanilla'

export interface Toast {
  id: number
  tone: 'plain' | 'good' | 'bad'
  title: string
  text: string
}

/** The first one is on screen, the others queue. */
export const toastStore = createStore<{ queue: Toast[] }>(() => ({ queue: [] }))

let lastId = 0

export function showToast(toast: Omit<Toast, 'id'>): void {
  lastId += 1
  const added = { ...toast, id: lastId }
  // The same words twice in a row tell nothing new.
  toastStore.setState(({ queue }) => {
    const newest = queue.at(-1)
    return newest?.title === toast.title && newest.text === toast.text ? { queue } : { queue: [...queue, added] }
  })
}

export function dismissToast(id: number): void {
  toastStore.setState(({ queue }) => ({ queue: queue.filter((toast) => toast.id !== id) }))
}
