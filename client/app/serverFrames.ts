import type { AccountChange, FrameType, ServerData } from '../../contract/frames.ts'
import { CONTRACT_VERSION } from '../../contract/ground/limits.ts'
import { callStore } from '../chat/calls/callState.ts'
import type { CallFrame } from '../chat/calls/receiveCall.ts'
import { receiveCommit, receiveMessage, refreshDelivery } from '../chat/messages/receive.ts'
import { transferStore } from '../chat/transferline/transferState.ts'
import type { TransferFrame } from '../chat/transfers/receiveTransfer.ts'
import type { Env } from '../env.ts'
import { refreshUser } from '../me/account/account.ts'
import { loadSignIns } from '../me/sessions/signins.ts'
import { inTurn } from '../net/inTurn.ts'
import { onPresence, onTyping } from '../rooms/list/rowUpdates.ts'
import { signedOutElsewhere } from './ending.ts'
import { reloadPage } from './reloadPage.ts'
import { onBookSaved, onKeysChanged, syncAll } from './sync.ts'

type Frames = { [T in FrameType]: (data: ServerData[T]) => unknown }

const onCall = async (env: Env, frame: CallFrame) => (await import('../chat/calls/receiveCall.ts')).receiveCall(env, frame)

const onTransfer = async (env: Env, frame: TransferFrame) =>
  (await import('../chat/transfers/receiveTransfer.ts')).receiveTransfer(env, frame)

/** Messages are sent by HTTP requests, whose responses carry refusals. */
const onRefused = async (refusal: ServerData['refused']) => {
  if (refusal.id !== null && refusal.id === callStore.getState().callId)
    (await import('../chat/calls/receiveCall.ts')).refuseCall(refusal)
  else if (refusal.id !== null && transferStore.getState().transfers.has(refusal.id))
    (await import('../chat/transfers/receiveTransfer.ts')).refuseTransfer(refusal)
}

/** The handlers of the server's frames. */
export const framesOf = (env: Env, userId: string, checkKeys: () => Promise<void>): Frames => ({
  hello: ({ contractVersion }) => (contractVersion === CONTRACT_VERSION ? onConnected(env, checkKeys) : reloadPage(env)),
  message: (message) => receiveMessage(env, message),
  commit: (commit) => receiveCommit(env, commit),
  receipt: (receipt) => refreshDelivery(env, receipt),
  typing: onTyping,
  presence: (presence) => onPresence(userId, presence),
  contacts: ({ userIds }) => syncAll(env, userIds),
  account: ({ what }) => onAccount(env, what),
  // The code's own chunk listens where it is loaded.
  code: () => undefined,
  devices: () => onKeysChanged(env, userId),
  book: ({ version }) => onBookSaved(env, version),
  signed_out: (why) => signedOutElsewhere(env, userId, why),
  'call-offer': (offer) => onCall(env, { type: 'call-offer', data: offer }),
  'call-answer': (answer) => onCall(env, { type: 'call-answer', data: answer }),
  'call-signal': (signal) => onCall(env, { type: 'call-signal', data: signal }),
  'ice-candidate': (candidate) => onCall(env, { type: 'ice-candidate', data: candidate }),
  'call-reject': (reject) => onCall(env, { type: 'call-reject', data: reject }),
  'call-end': (end) => onCall(env, { type: 'call-end', data: end }),
  'call-success': (success) => onCall(env, { type: 'call-success', data: success }),
  'transfer-accept': (data) => onTransfer(env, { type: 'transfer-accept', data }),
  'transfer-answer': (data) => onTransfer(env, { type: 'transfer-answer', data }),
  'transfer-signal': (data) => onTransfer(env, { type: 'transfer-signal', data }),
  'transfer-reject': (data) => onTransfer(env, { type: 'transfer-reject', data }),
  'transfer-here': (data) => onTransfer(env, { type: 'transfer-here', data }),
  'transfer-success': (data) => onTransfer(env, { type: 'transfer-success', data }),
  'transfer-changed': (data) => onTransfer(env, { type: 'transfer-changed', data }),
  // The socket itself handles these.
  pong: () => undefined,
  come_back: () => undefined,
  refused: onRefused,
})

/** What the own account shows decides what it sees of others, so their rows are read anew. */
const onAccount = (env: Env, what: AccountChange): Promise<unknown> => {
  if (what === 'sign_in') return loadSignIns(env)
  return what === 'privacy' ? Promise.all([readUser(env), syncAll(env)]) : readUser(env)
}

const onConnected = (env: Env, checkKeys: () => Promise<void>) =>
  Promise.all([syncAll(env), checkKeys(), readUser(env), loadSignIns(env)])

/** Queued, so that a response from before a change cannot overwrite a later one. */
export const readUser = (env: Env) => inTurn(env, 'user', () => refreshUser(env))
