import type { TransferEndReason } from '../../../contract/chat/transferframes.ts'
import { bytesWords } from '../../ui/bytes.ts'
import { UNSUPPORTED } from './hasDirect.ts'
import type { Transfer, TransferRefusal } from './transferState.ts'

type Shown = Pick<Transfer, 'isPausedThere' | 'isMine' | 'isHere' | 'isKept' | 'stage' | 'movedBytes' | 'end'> & {
  content: Pick<Transfer['content'], 'sizeBytes'>
}

/** Stands while a transfer is looked up. */
export const UNKNOWN = 'Direct transfer'

/** "61.3 of 96.4 MB" */
export function movedWords(movedBytes: number, sizeBytes: number): string {
  const [whole, unit] = bytesWords(sizeBytes).split(' ')
  const [part, partUnit] = bytesWords(movedBytes).split(' ')
  return partUnit === unit ? `${part} of ${whole} ${unit}` : `${part} ${partUnit} of ${whole} ${unit}`
}

/** "12.4 MB · received, whole" */
export const receivedWords = (sizeBytes: number): string => `${bytesWords(sizeBytes)} · received, whole`

/** "2.1 MB/s" */
export const speedWords = (bytesPerSecond: number): string => `${bytesWords(bytesPerSecond)}/s`

/** "17 s left", "3 min left" */
export const leftWords = (seconds: number): string =>
  seconds < 100 ? `${Math.max(1, Math.ceil(seconds))} s left` : `${Math.ceil(seconds / 60)} min left`

const ENDS: Record<TransferEndReason, (name: string, isMine: boolean, isHere?: boolean) => string> = {
  declined: () => 'Declined',
  cancelled: () => 'Cancelled',
  done: (_, isMine, isHere) =>
    isMine ? 'Sent, whole and unchanged' : isHere ? 'Received, whole and unchanged' : 'Received. It is not in this browser.',
  expired: () => 'Expired',
  removed: (name, isMine) => `Ended: ${isMine ? 'your' : `${name}’s`} browser that had the file was removed`,
  changed: (name, isMine) => (isMine ? 'The file changed on your device' : `The file changed on ${name}’s device`),
  forged: (_, isMine) =>
    isMine ? 'What arrived was not what you offered, and was not saved' : 'What came is not what was offered, nothing was saved',
}

const BAD = new Set<TransferEndReason>(['removed', 'changed', 'forged'])

export const isBadEnd = ({ stage, end }: Pick<Transfer, 'stage' | 'end'>): boolean =>
  stage === 'over' && end !== null && BAD.has(end)

/** What stands below the name, without figures. */
export function stageWords({ isMine, isHere, isPausedThere, stage, end }: Shown, name: string): string {
  if (isPausedThere && stage === 'moving') return `Paused by ${name}`
  switch (stage) {
    case 'offered':
      return isMine ? `Waits for ${name} to accept it` : 'Offered to you'
    case 'waiting':
      return `Waits for ${name} to be here`
    case 'connecting':
      return `Connecting to ${name}’s browser`
    case 'moving':
      return isMine ? 'Sending' : 'Receiving'
    case 'paused':
      return 'Paused'
    case 'done':
      return ENDS.done(name, isMine, isHere)
    case 'elsewhere':
      return isMine ? 'Offered from another browser of yours' : 'Accepted in another browser'
    case 'over':
      return end === null ? 'Over' : ENDS[end](name, isMine)
  }
}

const hasBegun = ({ stage, movedBytes }: Shown) => stage === 'moving' || stage === 'paused' || movedBytes > 0

/** True while a bar shows how far it is. */
export const isUnderway = (transfer: Shown): boolean =>
  hasBegun(transfer) && ['waiting', 'connecting', 'moving', 'paused'].includes(transfer.stage)

/** What else must be known before and while it goes. */
export function keptWords({ isMine, isHere, isKept, stage }: Shown): string | undefined {
  if (isKept || stage === 'over' || stage === 'elsewhere') return undefined
  if (stage === 'done') return isHere && !isMine ? 'In memory until this tab is closed: save it.' : undefined
  return 'This browser keeps nothing, as in a private window: it ends with this tab.'
}

/** What a screen reader is told of a change; '' where a toast tells it. undefined: nothing has changed. */
export function spokenStage(before: Shown | undefined, now: Shown, name: string): string | undefined {
  if (before === undefined || (before.stage === now.stage && before.isPausedThere === now.isPausedThere)) return undefined
  const isTold = now.stage === 'done' || (now.stage === 'moving' && before.stage !== 'paused' && before.stage !== 'moving')
  return isTold ? '' : stageWords(now, name)
}

/** A refusal that is a question, asked before the browser connects. */
export type Question = Exclude<TransferRefusal, 'tor_required' | 'unsupported' | 'no_room' | 'failed'>

const NO_QUESTIONS: (TransferRefusal | null)[] = [null, 'tor_required', 'unsupported', 'no_room', 'failed']

export const isQuestion = (refusal: TransferRefusal | null): refusal is Question => !NO_QUESTIONS.includes(refusal)

const QUESTION_LINES: Record<TransferRefusal, (sizeBytes: number) => string> = {
  shows_address: () => 'Not connected: it would show your network address.',
  no_relay: () => 'Not connected: it would show your network address.',
  leaves_tor: () => 'Not connected: it would leave Tor.',
  tor_required: () => 'This server lets no direct transfer leave Tor. What is sent in the chat goes by onion.',
  unsupported: () => UNSUPPORTED,
  relay_limit: () => 'Not connected: the relay’s gigabyte of today is used up. Connect directly, or later.',
  no_room: (sizeBytes) => `This browser has no room for ${bytesWords(sizeBytes)}. Make room, then try again.`,
  failed: () => 'The two browsers could not connect. What is here is kept.',
}

export const refusalLine = (refusal: TransferRefusal, sizeBytes: number): string => QUESTION_LINES[refusal](sizeBytes)

interface Asked {
  title: string
  text: string
  note?: string
  allow: string
}

export function questionWords(question: Question, name: string, isMine: boolean): Asked {
  const nothing = isMine ? 'So nothing was sent. The offer stands.' : 'So nothing was fetched. The offer stands.'
  switch (question) {
    case 'shows_address':
      return {
        title: `${name}’s browser will see your network address.`,
        text: 'The file goes straight from browser to browser. You are asked this once.',
        allow: isMine ? 'Send' : 'Accept',
      }
    case 'leaves_tor':
      return {
        title: 'A direct transfer would leave Tor: the relay would see your address.',
        text: 'You are here by the onion address, which hides it. Direct transfers do not go through Tor. Where you do not hide your address in calls, the other browser sees it too.',
        allow: 'Allow for this file',
      }
    case 'no_relay':
      return {
        title: 'This transfer would show your address',
        text: `You hide it, and this server has no relay. ${nothing}`,
        note: `Whoever runs this server can add a relay. Or allow a direct connection: then ${name}’s browser learns your network address.`,
        allow: 'Allow for this file',
      }
    case 'relay_limit':
      return {
        title: 'Today’s gigabyte of the relay is used up',
        text: `The relay carries 1 GB a day for each of you. ${nothing}`,
        note: `Try again later. Or connect directly: then ${name}’s browser learns your network address.`,
        allow: 'Connect directly',
      }
  }
}

type Here = Pick<Transfer, 'stage' | 'isRelayed'>

/** The connection of the dialog, in words. */
export function connectionWords(running: readonly Here[], isConnected: boolean, isOnline: boolean, name: string): string {
  if (!isConnected) return 'You are not connected. Files go on once the connection is back.'
  const moving = running.find(({ stage }) => stage === 'moving')
  if (moving) return `Secure connection established · ${moving.isRelayed ? 'through the relay' : 'directly'}`
  const has = (wanted: Transfer['stage']) => running.some(({ stage }) => stage === wanted)
  if (has('connecting')) return `Connecting to ${name}’s browser`
  if (has('waiting')) return `Waits for ${name} to be here`
  return isOnline ? `${name} is here` : `An offer stands for 24 hours, also while ${name} is away`
}
