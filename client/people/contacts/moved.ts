import { createStore } from 'zustand/vanilla'

/** What a screen reader says of a row that was moved. */
export const movedStore = createStore<{ words: string }>(() => ({ words: '' }))

export const sayMoved = (words: string): void => movedStore.setState({ words })
