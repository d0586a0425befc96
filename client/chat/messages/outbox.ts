import { fileIn, isCounted } from '../../../contract/chat/kinds/kinds.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { objectPath } from '../../../contract/chat/objects.ts'
import { REFUSAL_TEXTS } from '../../../contract/ground/refusaltexts.ts'
import type { Env } from '../../env.ts'
import { ownPrivacy } from '../../me/privacy/privacy.ts'
import { ApiError } from '../../net/api.ts'
import { inTurn, isInTurn } from '../../net/inTurn.ts'
import { connectionStore } from '../../net/status.ts'
import { accepted, isBlocked, isRequest, personIdOfDirect, placeOf, type Room } from '../../rooms/list/room.ts'
import { changeRoom, latestRoom } from '../../rooms/list/roomList.ts'
import { shutHere } from '../../rooms/list/roomLocks.ts'
import { addNewest } from '../../rooms/list/rowUpdates.ts'
import { type CaughtUp, catchUp } from '../../rooms/log/catchUp.ts'
import { isOtherState } from '../../rooms/log/otherState.ts'
import { peerName, readyRoom } from '../../rooms/log/readyRoom.ts'
import { onStaleEpoch } from '../../rooms/log/staleEpoch.ts'
import { changePerson } from '../../rooms/trust/people.ts'
import { CryptoFailure, type OutboxRow } from '../../worker/crypto.ts'

export type SendOutcome = { outcome: 'kept' } | Refused

/** The message stays on this device, since the plan allows no more. */
interface Refused {
  outcome: 'subscription_required' | 'limit_reached'
  text: string
}

interface Wait {
  reason: string
  /** null if a change of the room or its people starts the next attempt. */
  retryMs: number | null
}

const waiting = new Map<string, Wait>()
/** The newest of each room. */
const refusals = new Map<string, Refused>()

export function forgetWaits(): void {
  waiting.clear()
  refusals.clear()
}
export const waitOf = (chatRoomId: string): Wait | undefined => waiting.get(chatRoomId)

export const LINE = 'Goes by itself when the line is back'
export const HELD = 'Goes after the file before it'
const RETRY_MS = 5000

const SEAL_TRIES = 6

const LIMIT_TEXT = "You've reached your monthly message limit. Upgrade your plan or wait until next month."

/**
 * Sends the outbox in order up to the first message that must wait. Repeats the same sealed bytes after a lost answer; only a new
 * epoch needs a new seal [Note: M1]. `onChange` gets the log's news, or undefined. `sealed` has no message before it. A refusal is told to
 * all who wait: whoever's turn came first may have sent their messages.
 */
export function flushRoom(
  env: Env,
  room: Room,
  onChange: (caughtUp?: CaughtUp) => Promise<void>,
  sealed?: OutboxRow,
): Promise<SendOutcome> {
  const before = refusals.get(room.id)
  return inTurn(env, queueOf(room), async () => {
    for (const row of sealed ? [sealed] : await env.crypto.outbox(room.id)) {
      // A newer tab sends kinds unknown to this build.
      if (row.failure || !row.content) continue
      if (row.content.type === 'listened' && !row.envelope && !ownPrivacy().receipts) {
        await env.crypto.dropFromOutbox({ chatRoomId: room.id, id: row.id })
        continue
      }
      if (row.isHeld) {
        // The file's end starts the next attempt.
        waiting.delete(room.id)
        await onChange()
        break
      }
      const sent = await sendRow(env, latestRoom(room), row, row === sealed)
      await onChange(typeof sent === 'object' ? sent : undefined)
      if (sent === 'wait') break
    }
    const newest = refusals.get(room.id)
    return newest && newest !== before ? newest : { outcome: 'kept' }
  })
}

export const queueOf = ({ id }: Room): string => `flush ${id}`

export const isFlushing = (env: Env, room: Room): boolean => isInTurn(env, queueOf(room))

/** CaughtUp: the log has the message. `isFresh`: the message was sealed just now. */
async function sendRow(env: Env, listed: Room, row: OutboxRow, isFresh: boolean): Promise<CaughtUp | 'next' | 'wait'> {
  const { id: chatRoomId } = listed
  // Sending a message accepts a request.
  const room: Room = accepted(listed)
  try {
    // A closed room needs no call.
    if (room.isClosed) throw new ApiError(403, 'account_deleted', REFUSAL_TEXTS.account_deleted)
    if (!row.envelope) {
      if (isBlocked(room)) {
        const failure = `You have blocked ${peerName(room)}`
        // A call's line has no words to decide about.
        if (row.content && isCounted(row.content))
          await env.crypto.changeOutbox({ chatRoomId, id: row.id, failure, unseal: false })
        return 'next'
      }
      // The server must answer first.
      if (connectionStore.getState().phase !== 'open') await catchUp(env, room)
    }
    let mustCommit = false
    for (let attempt = 0; attempt < SEAL_TRIES; attempt++) {
      if (!row.envelope || attempt > 0) {
        const readiness = await readyRoom(env, room, { mustCommit })
        if (!readiness.ready) return wait(chatRoomId, readiness.reason, null)
      }
      const sealed = isFresh && attempt === 0 ? row : await seal(env, room, row)
      if (sealed === 'moved_on') continue
      if (!sealed?.envelope) return 'next'
      try {
        const draft = {
          id: row.id,
          chatRoomId,
          content: sealed.envelope,
          ...postedOf(sealed.content ?? row.content),
          ...(sealed.lifetime && { lifetime: sealed.lifetime }),
          ...(row.replyToId && { replyToId: row.replyToId }),
          isBrief: true,
        }
        const message = await env.api(messagesApi.send, draft)
        message.content ||= sealed.envelope
        waiting.delete(chatRoomId)
        addNewest(message)
        const caughtUp = await catchUp(env, room, [{ kind: 'message', ...message }])
        if (isRequest(listed)) changeRoom(chatRoomId, accepted)
        return caughtUp
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'stale_epoch') throw error
        await env.crypto.changeOutbox({ chatRoomId, id: row.id, failure: null, unseal: true })
        mustCommit = await onStaleEpoch(env, room, error)
      }
    }
    return wait(chatRoomId, 'This chat is busy. It is tried again.', RETRY_MS)
  } catch (error) {
    return failed(env, room, row, error)
  }
}

/** The server learns the type, the stored object, that the content does not count, and which places it empties or opens. */
function postedOf(content: OutboxRow['content']) {
  const silence = content && !isCounted(content) ? { isSilent: true } : {}
  if (content?.type === 'delete') return { messageType: 'text' as const, ...silence, takesBack: content.places }
  if (content?.type === 'opened') return { messageType: 'text' as const, ...silence, opens: content.place }
  const once = content?.type === 'once' && content.file
  const file = once ? { ...once, as: content.as } : fileIn(content)
  if (!file) return { messageType: 'text' as const, ...silence }
  const { as: messageType, object, storedBytes: fileSize } = file
  return {
    messageType,
    fileName: object,
    filePath: objectPath(object),
    fileSize,
    ...silence,
    ...(once && { isOnce: true as const }),
  }
}

/** `moved_on`: the room's devices changed, so the room must be readied again. */
async function seal(env: Env, room: Room, { id }: OutboxRow): Promise<OutboxRow | undefined | 'moved_on'> {
  try {
    return await env.crypto.sealOutboxRow({ ...placeOf(room), id })
  } catch (error) {
    if (error instanceof CryptoFailure && (error.code === 'outside' || error.code === 'not_ready')) return 'moved_on'
    throw error
  }
}

function wait(chatRoomId: string, reason: string, retryMs: Wait['retryMs']): 'wait' {
  waiting.set(chatRoomId, { reason, retryMs })
  return 'wait'
}

async function failed(env: Env, room: Room, row: OutboxRow, error: unknown): Promise<'next' | 'wait'> {
  const { id: chatRoomId } = room
  const place = { chatRoomId, id: row.id }
  // Nobody asked for it, and nothing waits for it.
  if (row.content?.type === 'listened' && !(error instanceof ApiError && [0, 401].includes(error.status))) {
    await env.crypto.dropFromOutbox(place)
    return 'next'
  }
  if (error instanceof ApiError) {
    const refusal = refusalOf(error)
    if (refusal) {
      // The text stays here for any tab: a composer takes text back only into an empty field.
      await env.crypto.changeOutbox({ ...place, failure: refusal.text, unseal: false })
      refusals.set(chatRoomId, refusal)
      return 'next'
    }
    if (error.status === 0) return wait(chatRoomId, LINE, RETRY_MS)
    if (error.status === 429 || error.status >= 500) {
      const retryMs = error.retryAfterSeconds === undefined ? RETRY_MS : error.retryAfterSeconds * 1000
      return wait(chatRoomId, `${error.message}. It is tried again.`, retryMs)
    }
    if (error.status === 401) return 'wait'
    if (error.code === 'device_required')
      return wait(chatRoomId, 'It goes out when the server knows this browser again.', RETRY_MS)
    if (error.code === 'chat_locked') {
      await shutHere(env, room)
      return wait(chatRoomId, 'It goes out when this chat is unlocked.', null)
    }
    if (error.code === 'account_deleted') closeRoom(room)
    await env.crypto.changeOutbox({ ...place, failure: error.message, unseal: false })
    return 'next'
  }
  if (!(error instanceof CryptoFailure)) throw error
  if (isOtherState(error)) return wait(chatRoomId, `${error.message}. Nothing is sent until you decide.`, null)
  await env.crypto.changeOutbox({ ...place, failure: error.message, unseal: true })
  return 'next'
}

/** undefined for a failure that is not the plan's. */
function refusalOf({ code, message }: ApiError): Refused | undefined {
  if (code === 'subscription_required') return { outcome: 'subscription_required', text: REFUSAL_TEXTS.subscription_required }
  if (code === 'message_limit_reached') return { outcome: 'limit_reached', text: limitText(message) }
  return undefined
}

/** The server's text after "message: ", or an own text. */
function limitText(message: string): string {
  const [, ...words] = message.split('message: ')
  return words.join('message: ').trim() || LIMIT_TEXT
}

/** The other account is deleted. A reading of the list would take longer. */
function closeRoom(room: Room): void {
  changeRoom(room.id, ({ peers }) => ({ isClosed: true, peers: peers.map((peer) => ({ ...peer, isDeleted: true })) }))
  changePerson(personIdOfDirect(room) ?? '', { isDeleted: true, mismatch: null, isVerified: false, comparedAt: null })
}
