import { createStore } from 'zustand/vanilla'
import type { LockAct } from '../../chat/chatlocks/ChatLockActs.tsx'

/** What the person may do with somebody on their list, each behind a dialog of its own. */
export type Act =
  | 'shared'
  | 'starred'
  | 'name'
  | 'mute'
  | 'timer'
  | 'clear'
  | 'delete_chat'
  | 'block'
  | 'unblock'
  | 'report'
  | 'remove'
  | LockAct

/** The question that is open, and about whom. */
export const actStore = createStore<{ asked: { act: Act; chatRoomId: string } | null }>(() => ({ asked: null }))

export const askAct = (act: Act, chatRoomId: string): void => actStore.setState({ asked: { act, chatRoomId } })

export const endAct = (): void => actStore.setState({ asked: null })
