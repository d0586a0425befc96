import { strToU8, Zip, ZipDeflate } from 'fflate'
import type { User } from '../../contract/account.ts'
import { contentWords, NEEDS_NEWER } from '../../contract/contentwords.ts'
import type { OutboxRow, StoredMessage } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { roomById } from '../rooms/list.ts'
import { loadOlderPage } from '../rooms/older.ts'
import { peerIdOf, type Room } from '../rooms/room.ts'
import { catchUp } from '../rooms/rooms.ts'
import { type Person, personById } from '../trust/people.ts'
import { chatLines, chatStart, type ExportedMessage, type ExportedPerson, indexPage, PAGE_END } from './pages.ts'

/** Progress of an export. */
export interface ExportProgress {
  chatsDone: number
  chats: number
  messages: number
  /** Name of the person whose conversation is being read. */
  name: string
}

export interface ExportResult {
  archive: Blob
  fileName: string
  chats: number
  messages: number
  /** Number of messages that this browser cannot decrypt. The archive marks them. */
  unreadable: number
}

interface Options {
  /** All rooms of the account. */
  rooms: Room[]
  onProgress: (progress: ExportProgress) => void
  signal: AbortSignal
}

const PAGE = 200

/**
 * Makes a ZIP of everything that this account can read: JSON for programs and HTML for people. Fetches older messages first. The
 * server sees only these requests. Throws ApiError, CryptoFailure, or the signal's reason.
 */
export async function exportAccount(env: Env, user: User, { rooms, onProgress, signal }: Options): Promise<ExportResult> {
  const exportedAt = env.clock()
  const zip = openZip()
  const chats: { other: ExportedPerson; file: string; messages: number; unreadable: number }[] = []
  let messages = 0
  for (const [at, room] of rooms.entries()) {
    // A chat with a password is not in an export [Note: L1].
    if ((roomById(room.id)?.lock ?? 'none') !== 'none') continue
    const person = personById(peerIdOf(room) ?? '')
    if (!person) continue
    const other = exportedPerson(person)
    const count = (here: number) =>
      onProgress({ chatsDone: at, chats: rooms.length, messages: messages + here, name: other.displayName })
    count(0)
    await fetchAll(env, room, signal)
    const name = `chats/${String(at + 1).padStart(3, '0')}-${fileWord(other.username)}`
    const written = await writeChat(env, room, { other, zip, name, count, signal })
    messages += written.messages
    chats.push({ other, file: `${name}.html`, ...written })
  }
  const owner = { username: user.username, displayName: user.displayName, onionAddress: user.onionAddress }
  const account = { format: 'conclave-export', version: 1, exportedAt: exportedAt.toISOString(), account: owner }
  zip
    .file('account.json')
    .end(
      JSON.stringify({ ...account, chats: chats.map(({ other, file, ...counts }) => ({ ...other, ...counts, file })) }, null, 2),
    )
  zip.file('index.html').end(indexPage(owner, exportedAt, chats))
  const unreadable = chats.reduce((sum, chat) => sum + chat.unreadable, 0)
  const fileName = `conclave-${fileWord(user.username)}-${exportedAt.toISOString().slice(0, 10)}.zip`
  return { archive: zip.end(), fileName, chats: chats.length, messages, unreadable }
}

/** Fetches the whole conversation into this browser's vault. */
async function fetchAll(env: Env, room: Room, signal: AbortSignal): Promise<void> {
  await catchUp(env, room)
  const first = async () => (await env.crypto.page({ chatRoomId: room.id, limit: 1 })).from
  for (let from = await first(); from > 1; ) {
    signal.throwIfAborted()
    if (!(await loadOlderPage(env, room, from))) return
    const next = await first()
    if (next >= from) return
    from = next
  }
}

interface Writing {
  other: ExportedPerson
  zip: Archive
  /** Name of the conversation's files, without extension. */
  name: string
  count: (messages: number) => void
  signal: AbortSignal
}

async function writeChat(env: Env, room: Room, { other, zip, name, count, signal }: Writing) {
  const json = zip.file(`${name}.json`)
  const html = zip.file(`${name}.html`)
  json.push(`{"with":${JSON.stringify(other)},"messages":[`)
  html.push(chatStart(other))
  let [messages, unreadable, lastDay] = [0, 0, '']
  const write = (lines: ExportedMessage[]) => {
    if (lines.length > 0) json.push((messages > 0 ? ',' : '') + lines.map((line) => JSON.stringify(line)).join(','))
    const shown = chatLines(lines, other, lastDay)
    html.push(shown.html)
    lastDay = shown.lastDay
    messages += lines.length
    unreadable += lines.filter(({ text }) => text === null).length
    count(messages)
  }
  for (let after = 0; ; ) {
    signal.throwIfAborted()
    const page = await env.crypto.page({ chatRoomId: room.id, after, limit: PAGE })
    write(page.messages.map((message) => exported(message, room.ownId)))
    after = page.messages.at(-1)?.seq ?? after
    if (page.messages.length < PAGE) break
  }
  write((await env.crypto.outbox(room.id)).map(unsent))
  json.end(']}\n')
  html.end(PAGE_END)
  return { messages, unreadable }
}

function exported({ id, seq, at, senderId, body, sentAt }: StoredMessage, ownId: string): ExportedMessage {
  const from = body.kind === 'notice' ? 'notice' : senderId === ownId ? 'me' : 'them'
  const line = { seq, id, at, ...(sentAt !== undefined && { sentAt }), from, isEncrypted: body.kind !== 'plain' } as const
  switch (body.kind) {
    case 'content':
      return { ...line, text: contentWords(body.content) }
    case 'plain':
    case 'notice':
      return { ...line, text: body.text }
    case 'newer':
      return { ...line, text: null, reason: NEEDS_NEWER, raw: body.kept }
    case 'sealed':
      return { ...line, text: null, reason: 'its key has not arrived' }
    case 'withheld':
      return { ...line, text: null, reason: body.isExplained ? 'not kept: it came while blocked' : 'the server no longer has it' }
    case 'unreadable':
      return { ...line, text: null, reason: body.reason }
  }
}

const unsent = ({ id, sentAt, content }: OutboxRow): ExportedMessage => ({
  seq: null,
  id,
  at: sentAt,
  from: 'me',
  text: content ? contentWords(content) : null,
  reason: content ? 'not sent' : NEEDS_NEWER,
  isEncrypted: true,
})

/** A username as part of a file name. The server chose it, so only characters of valid usernames get into a path. */
export const fileWord = (username: string): string =>
  username
    .toLowerCase()
    .replace(/[^a-z0-9_]/g, '')
    .slice(0, 30) || 'someone'

const exportedPerson = ({ username, alias, displayName, onionAddress }: Person): ExportedPerson => ({
  username,
  displayName: alias ?? displayName,
  onionAddress,
})

interface Archive {
  file(name: string): { push(text: string): void; end(text?: string): void }
  end(): Blob
}

/** Opens a ZIP for streaming writes. Only its compressed bytes are in memory. */
function openZip(): Archive {
  const parts: Uint8Array<ArrayBuffer>[] = []
  const zip = new Zip((error, bytes) => {
    if (error) throw error
    parts.push(new Uint8Array(bytes))
  })
  return {
    file(name) {
      const entry = new ZipDeflate(name, { level: 6 })
      zip.add(entry)
      return {
        push: (text) => entry.push(strToU8(text)),
        end: (text = '') => entry.push(strToU8(text), true),
      }
    },
    end() {
      zip.end()
      return new Blob(parts, { type: 'application/zip' })
    },
  }
}
