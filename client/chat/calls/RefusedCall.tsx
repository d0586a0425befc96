import { useRef } from 'react'
import { useStore } from 'zustand'
import { personIdOfDirect } from '../../rooms/list/room.ts'
import { nameOf, personById } from '../../rooms/trust/people.ts'
import { useEnv } from '../../ui/env.tsx'
import { CallRefused } from './CallRefused.tsx'
import { callStore } from './callState.ts'
import { type Consent, dismissRefusal, startCall } from './calls.ts'
import { shortName } from './viewWords.ts'

/** Asks about a call that was not begun, and begins it with what the person allows. */
export function RefusedCall() {
  const env = useEnv()
  const refusal = useStore(callStore, (call) => call.refusal)
  const pending = useStore(callStore, (call) => call.pending)
  // Two questions of one call, such as Tor and the address, are answered one after the other.
  const allowed = useRef<{ roomId: string; consent: Consent }>(undefined)
  if (!refusal || !pending) return null
  const { room, callType } = pending
  const person = personById(personIdOfDirect(room) ?? '')

  function allow(more: Consent) {
    const before = allowed.current?.roomId === room.id ? allowed.current.consent : {}
    const consent = { ...before, ...more }
    allowed.current = { roomId: room.id, consent }
    dismissRefusal()
    void startCall(env, room, callType, consent).then(() => {
      if (callStore.getState().refusal === null) allowed.current = undefined
    })
  }

  function leave() {
    allowed.current = undefined
    dismissRefusal()
  }

  return (
    <CallRefused
      refusal={refusal}
      name={person ? shortName(nameOf(person)) : 'the other person'}
      isRinging={false}
      onAllow={allow}
      onLeave={leave}
    />
  )
}
