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
  toastStore.setState(({ queue }) => {
    // The same words twice tell nothing new; other words about the same thing take the place of the old ones.
    if (queue.some(({ title, text }) => title === toast.title && text === toast.text)) return { queue }
    return { queue: [...queue.filter(({ title }) => title !== toast.title), added] }
  })
}

export function dismissToast(id: number): void {
  toastStore.setState(({ queue }) => ({ queue: queue.filter((toast) => toast.id !== id) }))
}
