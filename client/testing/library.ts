import { randomUUID } from 'node:crypto'
import type { Unlock } from '../../contract/account/devices.ts'
import { syncBook } from '../rooms/trust/book.ts'
import { openLive } from '../worker/account/openAccount.ts'
import { type Core, createCore } from '../worker/core.ts'
import { newRecord } from '../worker/log/enterRoom.ts'
import { messageWrites, type StoredMessage } from '../worker/vault/storedMessage.ts'
import { recordWrite } from '../worker/vault/storedRoom.ts'
import type { Vault } from '../worker/vault/vault.ts'
import { newPerson } from './people.ts'
import { createWire } from './wire.ts'

const AT_ONCE = 1000
const MINUTE_MS = 60_000

interface Library {
  chatRoomIds: string[]
  messages: number
  /** Who has written each message. */
  senderId: string
  /** One reaction to each message of the first room. */
  hasReactions?: boolean
}

/** Writes a library into the vault that this account has in this browser. */
export async function fillVault(
  account: { userId: string; unlock: Unlock },
  library: Library,
  write: (index: number) => string,
): Promise<void> {
  const { vault } = await openLive(account.userId, account.unlock)
  await writeLibrary(vault, library, write)
  vault.close()
}

/** Writes messages, interleaved over the rooms and a minute apart, and the record of each room, into a vault. */
async function writeLibrary(
  vault: Vault,
  { chatRoomIds, messages, senderId, hasReactions = false }: Library,
  write: (index: number) => string,
): Promise<void> {
  const rooms = chatRoomIds.length
  const start = Date.now() - messages * MINUTE_MS
  const perRoom = Math.ceil(messages / rooms)
  /** The message with its reaction, and the act, which lies behind all messages. */
  const reacted = (message: StoredMessage): StoredMessage[] => {
    const { id } = message
    const act = { type: 'reaction' as const, target: { senderId, id }, emojis: ['👍'] }
    const seq = perRoom + message.seq
    const acts = { reactions: { [senderId]: { seq, emojis: act.emojis } } }
    return [
      { ...message, acts },
      { ...message, id: randomUUID(), seq, body: { kind: 'act', act } },
    ]
  }
  for (let from = 0; from < messages; from += AT_ONCE) {
    const indexes = Array.from({ length: Math.min(AT_ONCE, messages - from) }, (_, at) => from + at)
    const stored = indexes.map((index): StoredMessage => {
      const content = { type: 'text' as const, text: write(index) }
      const at = new Date(start + index * MINUTE_MS).toISOString()
      const chatRoomId = chatRoomIds[index % rooms] ?? ''
      const seq = Math.floor(index / rooms) + 1
      return { id: randomUUID(), chatRoomId, seq, senderId, at, body: { kind: 'content', content } }
    })
    const isReacted = ({ chatRoomId }: StoredMessage) => hasReactions && chatRoomId === chatRoomIds[0]
    await vault.write(stored.flatMap((one) => (isReacted(one) ? reacted(one) : [one])).flatMap(messageWrites))
  }
  const lastSeq = hasReactions ? 2 * perRoom : perRoom
  const record = { ...newRecord({ generation: 0, groupId: null, epoch: 0, lastSeq }), from: 1 }
  await vault.write(chatRoomIds.map((chatRoomId) => recordWrite(chatRoomId, record)))
}

/** Creates a browser with many messages of `owner`. `open` starts a worker that has read nothing yet. */
export async function longLibrary(
  { rooms, messages, hasReactions = false }: { rooms: number; messages: number; hasReactions?: boolean },
  write: (index: number) => string,
): Promise<{ chatRoomIds: string[]; owner: { userId: string; unlock: Omit<Unlock, 'challenge'> }; open: () => Promise<Core> }> {
  const { userId, username, unlock, core, env } = await newPerson(createWire())
  await syncBook(env)
  const live = await openLive(userId, unlock)
  const chatRoomIds = Array.from({ length: rooms }, () => `dm_${userId}_${randomUUID()}`)
  await writeLibrary(live.vault, { chatRoomIds, messages, senderId: userId, hasReactions }, write)
  live.vault.close()
  await core.close()
  return {
    chatRoomIds,
    owner: { userId, unlock },
    async open() {
      const fresh = createCore()
      await fresh.open({ userId, username, unlock })
      return fresh
    },
  }
}
