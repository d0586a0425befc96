import { CALL_LIMITS } from '../../../contract/chat/calllimits.ts'
import type { Seat } from '../../ground/realtime/hub.ts'

export interface Places {
  /** An end of the call speaks by this socket. */
  heard(callId: string, seat: Seat): void
  left(seat: Seat): void
  /** True if an end has left and has not come back in time. */
  isLeft(callId: string): boolean
  callIds(): string[]
  forget(callId: string): void
}

interface Place {
  seat: Seat
  leftAtMs: number | undefined
}

export function makePlaces(clock: () => Date): Places {
  const places = new Map<string, Map<string, Place>>()
  const isLate = ({ leftAtMs }: Place): boolean => leftAtMs !== undefined && clock().getTime() - leftAtMs >= CALL_LIMITS.goneMs
  return {
    heard(callId, seat) {
      const ends = places.get(callId) ?? new Map<string, Place>()
      // A frame may be handled after its socket has closed.
      const isGone = seat.socket.readyState !== seat.socket.OPEN
      if (isGone && ends.has(seat.userId)) return
      places.set(callId, ends.set(seat.userId, { seat, leftAtMs: isGone ? clock().getTime() : undefined }))
    },
    left(seat) {
      for (const ends of places.values()) {
        const place = ends.get(seat.userId)
        if (place?.seat === seat) place.leftAtMs = clock().getTime()
      }
    },
    isLeft: (callId) => [...(places.get(callId)?.values() ?? [])].some(isLate),
    callIds: () => [...places.keys()],
    forget: (callId) => void places.delete(callId),
  }
}
