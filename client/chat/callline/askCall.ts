import { createStore } from 'zustand/vanilla'
import type { CallType } from '../../../contract/chat/calllimits.ts'
import { hasRight } from '../../../contract/money/plans.ts'
import { accountStore } from '../../me/account/accountState.ts'
import type { Room } from '../../rooms/list/room.ts'

interface CallAsk {
  /** `upgrade`: the plans that allow calls. `list`: the calls that were. */
  asked: 'upgrade' | 'list' | { room: Room; callType: CallType } | null
  isInCall: boolean
}

export const callAskStore = createStore<CallAsk>(() => ({ asked: null, isInCall: false }))

export const endCallAsk = (): void => callAskStore.setState({ asked: null })

export const askCallList = (): void => callAskStore.setState({ asked: 'list' })

/** Calls the person of this room, or offers the plans that allow it. */
export function askCall(room: Room, callType: CallType): void {
  const { user } = accountStore.getState()
  if (user) callAskStore.setState({ asked: hasRight(user.subscriptionTier, 'call') ? { room, callType } : 'upgrade' })
}
