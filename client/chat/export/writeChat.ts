import type { Content } from '../../../contract/chat/content.ts'
import { NEEDS_NEWER } from '../../../contract/chat/contentwords.ts'
import { callTitle } from '../../../contract/chat/kinds/call.ts'
import { type Folded, foldEntries } from '../../../contract/chat/kinds/fold.ts'
import { contentWords, fileIn, isForwarded, quoteIn } from '../../../contract/chat/kinds/kinds.ts'
import type { ContentOf, Kind } from '../../../contract/chat/kinds/rules.ts'
import type { Env } from '../../env.ts'
import type { Room } from '../../rooms/list/room.ts'
import type { OutboxRow, StoredMessage } from '../../worker/crypto.ts'
import { chatLines, chatStart, type ExportedMessage, type ExportedPerson, PAGE_END } from './chatPage.ts'
import { type Placed, writeAttached } from './writeAttached.ts'
import type { Archive } from './zipArchive.ts'

/** The folder of the archive in which the pages of the chats lie. */
export const FOLDER = 'chats'

const PAGE = 200

/** What was written of a chat. */
export interface WrittenChat {
  messages: number
  unreadable: number
  files: number
  missingFiles: number
}

interface Writing {
  other: ExportedPerson
  zip: Archive
  /** Name of the chat's files, without folder and extension. */
  name: string
  hasFiles: boolean
  count: (here: { messages: number; files: number }) => void
  signal: AbortSignal
}

/** Keys are the ids of the objects. */
type Places = Map<string, Placed>

/** Writes a chat into the archive: its files first, because the archive takes one thing at a time, then its two pages. */
export async function writeChat(env: Env, room: Room, writing: Writing): Promise<WrittenChat> {
  const { other, zip, name, count, signal } = writing
  const places = writing.hasFiles ? await writeFiles(env, room, writing) : undefined
  const files = [...(places?.values() ?? [])].filter(({ path }) => path !== null).length
  const json = zip.text(`${FOLDER}/${name}.json`)
  const html = zip.text(`${FOLDER}/${name}.html`)
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
    count({ messages, files })
  }
  for await (const page of pagesOf(env, room, signal)) write(page.map((message) => exported(message, room.ownId, places)))
  write((await unsentOf(env, room)).map((row) => unsent(row, places, room.ownId)))
  json.end(']}\n')
  html.end(PAGE_END)
  return { messages, unreadable, files, missingFiles: (places?.size ?? 0) - files }
}

const unsentOf = async (env: Env, { id }: Room) => foldEntries(await env.crypto.outbox(id))

async function* pagesOf(env: Env, room: Room, signal: AbortSignal): AsyncGenerator<StoredMessage[]> {
  for (let after = 0; ; ) {
    signal.throwIfAborted()
    const { messages } = await env.crypto.page({ chatRoomId: room.id, after, limit: PAGE })
    yield messages
    after = messages.at(-1)?.seq ?? after
    if (messages.length < PAGE) return
  }
}

async function writeFiles(env: Env, room: Room, { zip, name, count, signal }: Writing): Promise<Places> {
  const places: Places = new Map()
  let files = 0
  const write = async (content: Content, at: string) => {
    signal.throwIfAborted()
    const file = fileIn(content)
    if (!file || places.has(file.object)) return
    const placed = await writeAttached(env, zip, { chatRoomId: room.id, file, folder: FOLDER, chat: name, at })
    places.set(file.object, placed)
    if (placed.path !== null) files += 1
    count({ messages: 0, files })
  }
  for await (const page of pagesOf(env, room, signal))
    for (const { seq, body } of page) if (body.kind === 'content') await write(body.content, `${seq}`)
  for (const [at, { content }] of (await unsentOf(env, room)).entries()) if (content) await write(content, `unsent-${at + 1}`)
  return places
}

function exported(
  { id, seq, at, senderId, body, sentAt }: StoredMessage,
  ownId: string,
  places: Places | undefined,
): ExportedMessage {
  const isMine = senderId === ownId
  const from = body.kind === 'notice' ? 'notice' : isMine ? 'me' : 'them'
  const line = { seq, id, at, ...(sentAt !== undefined && { sentAt }), from, isEncrypted: body.kind !== 'plain' } as const
  switch (body.kind) {
    case 'content':
      return {
        ...line,
        text: contentWords(body.content),
        ...fieldsOf(body.content, places, isMine),
        ...saidOf(body.content, ownId),
      }
    case 'plain':
    case 'notice':
      return { ...line, text: body.text }
    case 'newer':
      return { ...line, text: null, reason: NEEDS_NEWER, raw: body.kept }
    case 'sealed':
      return { ...line, text: null, reason: 'its key has not arrived' }
    case 'deleted':
      return { ...line, text: null, reason: 'its author deleted it' }
    case 'act':
      return { ...line, text: null }
    case 'withheld':
      return { ...line, text: null, reason: body.isExplained ? 'not kept: it came while blocked' : 'the server no longer has it' }
    case 'unreadable':
      return { ...line, text: null, reason: body.reason }
  }
}

const unsent = ({ id, sentAt, content }: Folded<OutboxRow>, places: Places | undefined, ownId: string): ExportedMessage => ({
  seq: null,
  id,
  at: sentAt,
  from: 'me',
  text: content ? contentWords(content) : null,
  reason: content ? 'not sent' : NEEDS_NEWER,
  isEncrypted: true,
  ...(content && { ...fieldsOf(content, places, true), ...saidOf(content, ownId) }),
})

function saidOf(content: Content, ownId: string): Pick<ExportedMessage, 'replyTo' | 'isForwarded'> {
  if (isForwarded(content)) return { isForwarded: true }
  const quote = quoteIn(content)
  return quote ? { replyTo: { id: quote.id, from: quote.senderId === ownId ? 'me' : 'them', words: quote.words } } : {}
}

type Fields = Partial<Pick<ExportedMessage, 'file' | 'call' | 'text'>>

/** What a line has beside the words of one kind of content, or in their place. */
interface Exports<C extends Content> {
  fields(content: C, places: Places | undefined, isMine: boolean): Fields
}

const DIRECT = 'it went from browser to browser, and no server has it'

const EXPORTED: { [K in Kind]: Exports<ContentOf<K>> } = {
  text: { fields: () => ({}) },
  timer: { fields: () => ({}) },
  once: { fields: () => ({}) },
  call: {
    fields: (call, _, isMine) => {
      const { callType, outcome, seconds, isCompared } = call
      return { text: callTitle(call, isMine), call: { callType, outcome, seconds, isCompared } }
    },
  },
  transfer: {
    fields: ({ name, mediaType, sizeBytes }) => ({
      file: { name, mediaType, sizeBytes, caption: '', path: null, reason: DIRECT },
    }),
  },
  file: {
    fields: ({ name, mediaType, sizeBytes, caption, object }, places) => {
      const placed = places?.get(object) ?? { path: null, reason: 'files were left out of this export' }
      return { file: { name, mediaType, sizeBytes, caption, ...placed } }
    },
  },
}

function fieldsOf(content: Content, places: Places | undefined, isMine: boolean): Fields {
  const exports: Exports<Content> = EXPORTED[content.type]
  return exports.fields(content, places, isMine)
}
