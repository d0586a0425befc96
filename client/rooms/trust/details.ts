import { createStore } from 'zustand/vanilla'

/** From here the contact panel is a column of its own, which stays until it is closed. */
export const BESIDE = '(min-width: 1440px)'

/** The room whose contact panel was opened last, and is not closed. */
export const detailsStore = createStore<{ chatRoomId: string | null }>(() => ({ chatRoomId: null }))

export const openDetails = (chatRoomId: string): void => detailsStore.setState({ chatRoomId })

export const closeDetails = (): void => detailsStore.setState({ chatRoomId: null })

/** True if the panel shows beside or over this room: over a room it belongs to that one alone. */
export const isShown = (openFor: string | null, chatRoomId: string, isBeside: boolean): boolean =>
  isBeside ? openFor !== null : openFor === chatRoomId
