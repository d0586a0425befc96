import type { CallType } from '../../../contract/chat/calllimits.ts'
import type { Env } from '../../env.ts'
import { setUnderway } from '../../rooms/list/underway.ts'
import type { Consent } from './address.ts'
import { comeBack, onNetwork } from './attempts.ts'
import { keepAwake } from './awake.ts'
import { holdCall } from './callLines.ts'
import { callStore, resetCall } from './callState.ts'
import { OWN_LOCK } from './callWords.ts'
import { chosenDevices } from './devices.ts'
import { hangUp } from './finish.ts'
import { isLive, type LiveCall, type Ring, setLive } from './liveCall.ts'
import { noMedia } from './media.ts'
import { followNetwork } from './network.ts'
import { playRingback } from './sounds.ts'

interface Begun {
  env: Env
  callId: string
  room: { id: string; ownId: string }
  peerId: string
  isCaller: boolean
  callType: CallType
  consent?: Consent
  attempt?: number
  ring?: Ring
}

export function beginCall({ env, callId, room, peerId, isCaller, callType, consent = {}, attempt = 1, ring }: Begun): LiveCall {
  const call: LiveCall = {
    ...{ env, callId, chatRoomId: room.id, ownId: room.ownId, peerId, isCaller, callType, attempt, consent },
    ...{ isRelayOnly: true, media: noMedia(), link: null, relay: null, ring: ring ?? null },
    ...{ isOffered: false, isRung: false, isAccepted: false, answeredAt: null, epochTries: 0 },
    ...{ timers: new Map(), stops: new Set(), stopStats: () => undefined },
  }
  setLive(call)
  resetCall()
  callStore.setState({
    ...{ callId, chatRoomId: room.id, callType, isInitiator: isCaller, participants: [peerId] },
    ...{ phase: isCaller ? 'starting' : 'incoming', isInCall: isCaller, speakerId: chosenDevices().chosen.speaker },
  })
  return call
}

/** The screen stays on, and no lock by time falls. */
export function takePart(call: LiveCall): void {
  callStore.setState({ isInCall: true })
  call.stops.add(followNetwork(() => onNetwork(call)))
  call.stops.add(call.env.socket.on('hello', () => comeBack(call)))
  call.stops.add(keepAwake())
  setUnderway({
    isOn: () => isLive(call),
    end: (why) => hangUp(call, why, { ...(why === 'locked' && { over: { why, words: OWN_LOCK } }), unanswered: 'cancelled' }),
  })
  call.stops.add(() => setUnderway(undefined))
  void holdCall(call.callId, HOLD_MS).then((letGo) => {
    if (letGo && isLive(call)) call.stops.add(letGo)
    else letGo?.()
  })
}

const HOLD_MS = 2000

export function ringBack(call: LiveCall): void {
  const stop = playRingback()
  call.stops.add(stop)
  const off = callStore.subscribe(({ phase }) => {
    if (phase === 'calling' || phase === 'starting') return
    off()
    stop()
  })
}
