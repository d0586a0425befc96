import { createStore } from 'zustand/vanilla'
import type { ShownMessage } from './store.ts'

/** The message that somebody opens. Its line may leave the screen meanwhile. */
export const onceAsked = createStore<{ message: ShownMessage | null }>(() => ({ message: null }))

export const askOnce = (message: ShownMessage | null): void => onceAsked.setState({ message })

/** True for what opens once and nobody of this account has opened. */
export const canOpen = ({ body, isMine, seq, opened }: ShownMessage): boolean =>
  body.kind === 'once' && !isMine && seq !== null && body.once.file !== undefined && opened === undefined
