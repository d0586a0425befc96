import { createStore } from 'zustand/vanilla'

export const BESIDE = '(min-width: 1440px)'

export const detailsStore = createStore<{ chatRoomId: string | null }>(() => ({ chatRoomId: null }))

export const openDetails = (chatRoomId: string): void => detailsStore.setState({ chatRoomId })

export const closeDetails = (): void => detailsStore.setState({ chatRoomId: null })

/** A panel over a chat belongs to that chat alone. */
export const isShown = (openFor: string | null, chatRoomId: string, isBeside: boolean): boolean =>
  isBeside ? openFor !== null : openFor === chatRoomId
