import { keyStart } from '../../../contract/account/keyStart.ts'
import { foldEntries } from '../../../contract/chat/kinds/fold.ts'
import { ownWords, quotedWords } from '../../../contract/chat/kinds/kinds.ts'
import type { Live } from '../keys/live.ts'
import { ownDevices } from '../lists/devicenames.ts'
import { peerOf } from '../lists/peers.ts'
import { type MessageName, messageAt, seqOfMessage } from '../vault/storedMessage.ts'
import { roomRecord } from '../vault/storedRoom.ts'

/** At `at`, ISO 8601, the message said `text`. */
export interface Wording {
  at: string
  text: string
}

/** Returns what an edited message said before, oldest first. */
export async function earlierWords({ vault }: Live, name: MessageName): Promise<Wording[]> {
  const seq = await seqOfMessage(vault, name)
  const message = seq === undefined ? undefined : await messageAt(vault, name.chatRoomId, seq)
  if (message?.body.kind !== 'content') return []
  const { content } = message.body
  const words: Wording[] = [{ at: message.at, text: ownWords(content) }]
  for (const place of message.acts?.edits ?? []) {
    const entry = await messageAt(vault, name.chatRoomId, -place)
    if (entry?.body.kind === 'act' && entry.body.act?.type === 'edit' && place !== message.acts?.edit?.seq)
      words.push({ at: entry.at, text: entry.body.act.text })
  }
  return words
}

export interface Quoted {
  /** The vault's first seq. */
  from: number
  /** `at`: ISO 8601. */
  said: { seq: number; words: string; at: string } | undefined
}

/** Finds a quoted message. */
export async function quoted({ vault }: Live, name: MessageName): Promise<Quoted> {
  const [seq, record] = await Promise.all([seqOfMessage(vault, name), roomRecord(vault, name.chatRoomId)])
  const from = record?.from ?? 0
  // Names of cleared messages stay.
  const message = seq === undefined || seq < from ? undefined : await messageAt(vault, name.chatRoomId, seq)
  const [shown] = foldEntries(message ? [message] : [])
  if (shown?.body.kind !== 'content') return { from, said: undefined }
  return { from, said: { seq: shown.seq, words: quotedWords(shown.body.content), at: shown.at } }
}

export interface Signer {
  isThis: boolean
  /** Names of others are sealed. */
  name?: string | undefined
  /** As `keyStart` gives it. */
  key: string
}

/** Returns a listed browser. `unknown`: not in the list here. */
export async function signerOf(
  live: Live,
  { userId, deviceId }: { userId: string; deviceId: string },
): Promise<Signer | 'removed' | 'unknown'> {
  const manifest = (await peerOf(live, userId))?.manifest
  if (manifest?.removed.includes(deviceId)) return 'removed'
  const listed: { id: string; leafKey: string; name?: string }[] =
    userId === live.userId ? await ownDevices(live) : (manifest?.devices ?? []).map(({ id, leafKey }) => ({ id, leafKey }))
  const device = listed.find(({ id }) => id === deviceId)
  return device ? { isThis: deviceId === live.device.id, name: device.name, key: keyStart(device.leafKey) } : 'unknown'
}
