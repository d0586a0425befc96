import { useStore } from 'zustand'
import { connectionStore } from '../../net/status.ts'
import type { DirectChat } from '../../rooms/list/members.ts'
import { isAwaited, isBlocked, isRequest } from '../../rooms/list/room.ts'
import { isShutRow } from '../../rooms/list/roomList.ts'
import { provenOf } from '../../rooms/log/showForks.ts'
import { stopOf } from '../../rooms/trust/trustPill.ts'
import { callAskStore } from './askCall.ts'

interface CallStop {
  /** True if nobody can be called. */
  isAbsent: boolean
  /** Why a button does nothing now; undefined where it calls. */
  why: string | undefined
}

export function useCallStop({ room, person }: DirectChat): CallStop {
  const isConnected = useStore(connectionStore, ({ phase }) => phase === 'open')
  const isInCall = useStore(callAskStore, (state) => state.isInCall)
  const stop = stopOf(person, { isForked: provenOf(room.forks).length > 0, asksRestart: room.asksRestart })
  const isAbsent = person.isDeleted || room.isClosed || isRequest(room) || isBlocked(room) || isAwaited(room)
  const why = !isConnected
    ? 'Not connected'
    : isInCall
      ? 'You are in a call'
      : isShutRow(room)
        ? 'The chat is locked'
        : stop
          ? `${stop}, calls are stopped`
          : person.identityKey
            ? undefined
            : 'No device yet'
  return { isAbsent, why }
}
