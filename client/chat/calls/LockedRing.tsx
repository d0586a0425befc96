import { PhoneIncoming } from 'lucide-react'
import { useEffect, useState } from 'react'
import { CALL_LIMITS } from '../../../contract/chat/calllimits.ts'
import { hearRings } from '../../net/rings.ts'
import { Note } from '../../ui/Note.tsx'
import { LOCKED_RING } from './viewWords.ts'

/** Somebody rings, and the browser is locked: it does not know who, nor whether with video. */
export function LockedRing() {
  const [callId, setCallId] = useState<string>()
  useEffect(
    () =>
      hearRings(({ type, data }) => {
        if (type === 'call-offer') setCallId(data.callId)
        if (type === 'call-end') setCallId((ringing) => (ringing === data.callId ? undefined : ringing))
      }),
    [],
  )
  useEffect(() => {
    if (callId === undefined) return
    const timer = setTimeout(() => setCallId(undefined), CALL_LIMITS.ringSeconds * 1000)
    return () => clearTimeout(timer)
  }, [callId])
  return (
    callId !== undefined && (
      <Note icon={PhoneIncoming} tone="acc" role="alert">
        <strong>{LOCKED_RING}</strong>
      </Note>
    )
  )
}
