import { createStore } from 'zustand/vanilla'
import type { CallEndReason } from '../../../contract/chat/callframes.ts'
import type { CallType } from '../../../contract/chat/calllimits.ts'
import type { Room } from '../../rooms/list/room.ts'
import type { AddressRefusal } from './address.ts'

/**
 * `starting`: the devices are opened, nobody has heard of it. `calling`: it rings there. `incoming`: it rings here. `connecting`: accepted.
 * `reconnecting`: media has stopped. `over`: the view says why until it is closed.
 */
export type CallPhase = 'idle' | 'starting' | 'calling' | 'incoming' | 'connecting' | 'live' | 'reconnecting' | 'over'

/** What the other end shows. */
export type ShownVideo = 'off' | 'camera' | 'screen'

export interface CallOver {
  why: CallEndReason | 'declined' | 'busy' | 'forged' | 'left'
  /** A sentence for the person. */
  words: string
}

/** The first nine are the specification's. */
export interface CallState {
  isInCall: boolean
  isInitiator: boolean
  callType: CallType | null
  /** User ids of the others. */
  participants: string[]
  /** Microphone, camera or screen of this end. */
  localStream: MediaStream | null
  remoteStreams: Readonly<Record<string, MediaStream>>
  isVideoEnabled: boolean
  isAudioEnabled: boolean
  /** ms since 1970: both ends are connected. */
  callStartTime: number | null

  phase: CallPhase
  callId: string | null
  chatRoomId: string | null
  isSharing: boolean
  otherVideo: ShownVideo
  isOtherMuted: boolean
  /** Four words, once both ends have proved themselves. */
  words: readonly string[] | null
  /** The person pressed "They match". */
  isCompared: boolean
  /** ms since 1970. */
  reconnectingSince: number | null
  line: 'good' | 'weak'
  speaks: { own: boolean; other: boolean }
  /** True: everything goes through the relay. */
  isRelayed: boolean
  /** The view is closed; the call goes on. */
  isMinimised: boolean
  /** An incoming call's ringing is silenced here. */
  isSilenced: boolean
  over: CallOver | null
  /** Why no call was begun, or why none is accepted, until the person decides. */
  refusal: AddressRefusal | null
  /** The call that was refused; null if it is the one that rings here. */
  pending: { room: Room; callType: CallType } | null
  /** null: the system chooses. */
  speakerId: string | null
}

const IDLE: CallState = {
  ...{ isInCall: false, isInitiator: false, callType: null, participants: [], localStream: null, remoteStreams: {} },
  ...{ isVideoEnabled: false, isAudioEnabled: false, callStartTime: null },
  ...{ phase: 'idle', callId: null, chatRoomId: null, isSharing: false, otherVideo: 'off', isOtherMuted: false, words: null },
  ...{ isCompared: false, reconnectingSince: null, line: 'good', speaks: { own: false, other: false }, isRelayed: false },
  ...{ isMinimised: false, isSilenced: false, over: null, refusal: null, pending: null, speakerId: null },
}

export const callStore = createStore<CallState>(() => IDLE)

export const resetCall = (): void => callStore.setState(IDLE, true)
