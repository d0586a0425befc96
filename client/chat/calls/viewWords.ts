import type { CallType } from '../../../contract/chat/calllimits.ts'
import type { AddressRefusal } from './address.ts'
import type { CallOver, CallState } from './callState.ts'

const two = (part: number) => String(part).padStart(2, '0')

/** mm:ss, as the specification writes the timer: "03:08", "61:05". */
export function timerWords(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  return `${two(Math.floor(whole / 60))}:${two(whole % 60)}`
}

export const callKindWords = (callType: CallType | null): string => (callType === 'video' ? 'video call' : 'voice call')

export const incomingWords = (callType: CallType | null): string => `Incoming ${callKindWords(callType)}`

export const LOCKED_RING = 'Incoming call. Unlock to see who.'

/** The name that stands on tiles and in sentences, where the whole one is in the title. */
export const shortName = (name: string): string => name.split(/\s+/)[0] || name

export const CALLING = 'Calling...'
export const ALONE = 'Waiting for other participants to join'
export const BOTH_SEE = 'Both should see the same words'
export const COMPARED = 'Compared on this call'

const HIDDEN = 'Your address stays hidden: the call goes through the relay.'
const SHOWN = 'The call goes straight to their browser, which sees your network address.'

const WOULD_LEAVE_TOR = 'A call would leave Tor: the relay would see your address. You are asked before.'
const NEVER_LEAVES_TOR = 'This server lets no call leave Tor.'

/** What to accept a call would show. */
export function ringingWords(isRelayed: boolean, tor: 'leaves_tor' | 'tor_required' | undefined): string {
  if (tor === undefined) return isRelayed ? HIDDEN : SHOWN
  return tor === 'tor_required' ? NEVER_LEAVES_TOR : WOULD_LEAVE_TOR
}

export const reconnectingWords = (seconds: number): string => `Reconnecting, ${Math.max(0, Math.floor(seconds))} s.`

export const differQuestion = (name: string) => ({
  title: 'End the call and stop sending?',
  text: `Different words mean that somebody may stand between you and ${name}. The call ends for both, and nothing more is sent to ${name} from any of your browsers until you have compared safety numbers.`,
})

/** The title of a call that is over. */
export function overTitle({ why }: CallOver, name: string): string {
  const titles: Record<CallOver['why'], string> = {
    ended: 'The call has ended',
    locked: 'The call has ended',
    answered: 'Answered on another browser',
    no_answer: 'No answer',
    declined: `${name} declined`,
    busy: `${name} is in another call`,
    left: `${name} left the call`,
    lost: `${name} left the call`,
    minutes: 'Your call minutes are used up',
    words: 'The words differ',
    failed: 'The call did not connect',
    forged: 'The call was stopped',
  }
  return titles[why]
}

export const canCallAgain = ({ why }: CallOver): boolean => !['minutes', 'words', 'forged', 'answered'].includes(why)

type Told = Pick<CallState, 'phase' | 'isAudioEnabled' | 'isOtherMuted' | 'isVideoEnabled' | 'isSharing' | 'otherVideo' | 'over'>

/** What a screen reader is told when the state of a call has changed. */
export function spokenChange(before: Told, now: Told, name: string): string {
  if (before.phase !== now.phase) return spokenPhase(before, now, name)
  if (now.phase !== 'live' && now.phase !== 'reconnecting') return ''
  if (before.isAudioEnabled !== now.isAudioEnabled) return now.isAudioEnabled ? 'Microphone on' : 'Muted'
  if (before.isSharing !== now.isSharing) return now.isSharing ? 'You share your screen' : 'You no longer share your screen'
  if (before.isVideoEnabled !== now.isVideoEnabled) return now.isVideoEnabled ? 'Camera on' : 'Camera off'
  if (before.isOtherMuted !== now.isOtherMuted) return now.isOtherMuted ? `${name} is muted` : `${name} is no longer muted`
  if (before.otherVideo === now.otherVideo) return ''
  if (now.otherVideo === 'screen') return `${name} shares the screen`
  return now.otherVideo === 'camera' ? `${name}’s camera is on` : `${name}’s camera is off`
}

function spokenPhase(before: Told, now: Told, name: string): string {
  if (now.phase === 'calling') return `Calling ${name}`
  if (now.phase === 'connecting') return 'Connecting'
  if (now.phase === 'reconnecting') return 'Reconnecting'
  if (now.phase === 'live') return before.phase === 'reconnecting' ? 'Connected again' : 'Connected'
  if (now.phase === 'over' && now.over) return `${overTitle(now.over, name)}. ${now.over.words}`
  return now.phase === 'idle' && before.phase !== 'over' ? 'The call has ended' : ''
}

interface Refused {
  title: string
  text: string
  note?: string
  /** Absent where nobody can allow it. */
  allow?: string
}

/** Why a call is not begun, or not accepted, before the person has read what it would show. */
export function refusedWords(refusal: AddressRefusal, name: string, isRinging: boolean): Refused {
  if (refusal === 'shows_address')
    return {
      title: `${name}’s browser will see your network address.`,
      text: 'The call goes straight from browser to browser. You are asked this once.',
      allow: isRinging ? 'Accept' : 'Call',
    }
  if (refusal === 'leaves_tor')
    return {
      title: 'A call would leave Tor: the relay would see your address.',
      text: 'You are here by the onion address, which hides it. Calls do not go through Tor. Where you do not hide your address in calls, the other browser sees it too.',
      allow: 'Allow for this call',
    }
  if (refusal === 'tor_required')
    return {
      title: NEVER_LEAVES_TOR,
      text: 'Calls do not go through Tor: the relay would see your address. Write instead, or send a voice message.',
    }
  return {
    title: 'This call would show your address',
    text: isRinging
      ? 'You hide it, and this server has no relay. So the call was not accepted. It still rings.'
      : `You hide it, and this server has no relay. So the call was not started, and ${name} heard nothing.`,
    note: `Whoever runs this server can add a relay. Or allow direct calls: then ${name}’s browser learns your network address.`,
    allow: 'Allow for this call',
  }
}

export function hideAddressWords(hasRelay: boolean, isHidden: boolean): string {
  if (!hasRelay)
    return isHidden
      ? 'This server has no relay any more: no call and no direct transfer connects until you allow it.'
      : 'This server has no relay to hide it. In calls and direct transfers the other browser sees your network address.'
  return isHidden
    ? 'Calls and direct transfers go through this server’s relay. The other browser does not see your network address.'
    : 'Calls and direct transfers go straight to the other browser where that works, and it sees your network address.'
}

/** Why microphone and camera could not be tried. */
export function deviceWords(error: unknown): string {
  const name = error instanceof DOMException ? error.name : ''
  if (name === 'NotAllowedError')
    return 'Your browser does not let this page use the microphone. Allow it in the browser’s settings for this address.'
  if (name === 'NotReadableError') return 'Another program is using the microphone.'
  return 'No microphone was found.'
}
