import { mayRing, tellRing } from '../../alerts/notifications/tellRing.ts'
import { roomById } from '../../rooms/list/roomList.ts'
import { callStore } from './callState.ts'
import { otherName } from './callWords.ts'
import type { LiveCall } from './liveCall.ts'
import { playRingtone } from './sounds.ts'

/** One tab of a browser makes the sound. */
const SOUND = 'conclave-ring'

/** A muted chat rings on the screen alone. */
export function ringHere(call: LiveCall): void {
  const isMuted = roomById(call.chatRoomId)?.mutedUntil != null
  const stopTelling = isMuted ? () => undefined : tellRing('Incoming call', otherName(call.peerId))
  const stopSound = isMuted || !mayRing() ? () => undefined : ringAlone()
  const stop = () => {
    off()
    stopSound()
    stopTelling()
  }
  const off = callStore.subscribe(({ phase, isSilenced }) => {
    if (isSilenced) stopSound()
    if (phase !== 'incoming') stop()
  })
  call.stops.add(stop)
}

function ringAlone(): () => void {
  const { locks } = globalThis.navigator ?? {}
  if (!locks) return playRingtone()
  const leaving = new AbortController()
  const isOver = new Promise<void>((resolve) => leaving.signal.addEventListener('abort', () => resolve()))
  const ring = () => {
    const stop = playRingtone()
    return isOver.then(stop)
  }
  // Left before the sound was this tab's.
  locks.request(SOUND, { signal: leaving.signal }, ring).catch(() => undefined)
  return () => leaving.abort()
}
