import { createStore } from 'zustand/vanilla'

export const BESIDE = '(min-width: 1440px)'

export const detailsStore = createStore<{ chatRoomId: string | null }>(() => ({ chatRoomId: null }))

let isOpened = false

export function openDetails(chatRoomId: string): void {
  isOpened = true
  detailsStore.setState({ chatRoomId })
}

/** True once after it was opened: with another chat beside it, it takes no focus. */
export function takeOpened(): boolean {
  const was = isOpened
  isOpened = false
  return was
}

export const closeDetails = (): void => detailsStore.setState({ chatRoomId: null })

/** A panel over a chat belongs to that chat alone. */
export const isShown = (openFor: string | null, chatRoomId: string, isBeside: boolean): boolean =>
  isBeside ? openFor !== null : openFor === chatRoomId
