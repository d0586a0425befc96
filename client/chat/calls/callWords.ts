import type { CallType } from '../../../contract/chat/calllimits.ts'
import { nameOf, personById } from '../../rooms/trust/people.ts'
import type { CallOver } from './callState.ts'

export const otherName = (userId: string): string => {
  const person = personById(userId)
  return person ? nameOf(person) : 'The other person'
}

/** The specification's. */
export const failedTitle = (callType: CallType): string => (callType === 'video' ? 'Video Call Failed' : 'Voice Call Failed')

/** Why a call is over, where the other end or the server ended it. */
export function overWords(why: CallOver['why'], userId: string): string {
  const name = otherName(userId)
  switch (why) {
    case 'ended':
      return `${name} ended the call.`
    case 'no_answer':
      return `${name} did not answer.`
    case 'answered':
      return 'You took this call in another tab or browser.'
    case 'lost':
    case 'left':
      return `${name} left the call.`
    case 'minutes':
      return 'The call minutes of this month’s plan are used up.'
    case 'words':
      return `${name} saw other words than you. Somebody may stand between you: compare your safety numbers before you write on.`
    case 'failed':
      return 'The call could not be connected.'
    case 'locked':
      return `${name} locked the browser that the call was in.`
    case 'declined':
      return `${name} declined the call.`
    case 'busy':
      return `${name} is in another call.`
    case 'forged':
      return `What came for this call was not made by ${name}’s device, so it was ended. Somebody may stand between you.`
  }
}

export const OWN_LOCK = 'The call ended because this browser was locked.'
export const ownDiffer = (userId: string): string =>
  `The words differ, so the call was ended. Nothing is sent to ${otherName(userId)} until you have compared your safety numbers.`
export const NOT_TAKEN = (userId: string): string => `${otherName(userId)} could not take the call.`
export const NO_RELAY_LEFT = 'The relay that hides your address cannot be reached, so the call was not connected.'
export const NOT_CONNECTED = 'You are not connected. Try again once the connection is back.'
export const LOCKED_CHAT = 'This chat is locked. Unlock it, then accept.'

const DEVICES = { microphone: 'microphone', camera: 'camera' } as const

/** A device that is gone in a call. `now`: what is used instead; null if nothing is left. */
export const unpluggedWords = (kind: keyof typeof DEVICES, now: string | null) => ({
  title: kind === 'camera' ? 'Camera unplugged' : 'Microphone unplugged',
  text: now === null ? `No other ${DEVICES[kind]} was found.` : `Now in use: ${now || `another ${DEVICES[kind]}`}.`,
})
