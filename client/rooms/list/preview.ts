import type { Content } from '../../../contract/chat/content.ts'
import { DELETED, DELETED_HERE, textWords, UNSUPPORTED } from '../../../contract/chat/contentwords.ts'
import { callTitle, isMissed } from '../../../contract/chat/kinds/call.ts'
import { albumIn } from '../../../contract/chat/kinds/file.ts'
import { type Folded, foldEntries } from '../../../contract/chat/kinds/fold.ts'
import { contentWords, fileIn } from '../../../contract/chat/kinds/kinds.ts'
import type { ContentOf, Kind } from '../../../contract/chat/kinds/rules.ts'
import type { Env } from '../../env.ts'
import { inTurn } from '../../net/inTurn.ts'
import { withoutMarks } from '../../ui/textPieces.ts'
import type { OutboxRow, StoredMessage } from '../../worker/crypto.ts'
import { noteEnds } from './lifetimes.ts'
import { deliveryOf, type Room } from './room.ts'
import { changeRoom, isShut, type Preview } from './roomList.ts'

export const NOT_ENCRYPTED = 'Not encrypted'

/** Most withheld messages passed over. */
const LOOK_BACK = 20

export function refreshPreview(env: Env, room: Room, opened?: StoredMessage): Promise<void> {
  const chatRoomId = room.id
  // The queue keeps an earlier result of the vault from overwriting a later one.
  return inTurn(env, `preview ${chatRoomId}`, async () => {
    if (isShut({ id: chatRoomId })) return
    const [newest, outbox] = await Promise.all([newestShown(env, chatRoomId, opened), env.crypto.outbox(chatRoomId)])
    const unsent = foldEntries(outbox).at(-1)
    const last = unsent ? unsent.content : newest?.body.kind === 'content' && newest.body.content
    const album = last && albumIn(fileIn(last)) ? await import('./albumWords.ts').catch(() => undefined) : undefined
    const senderId = unsent ? room.ownId : newest?.senderId
    const text = last && (await album?.albumWords(env, room, last, senderId, outbox))
    changeRoom(chatRoomId, (row) => {
      if (isShut(row)) return {}
      const preview = previewOf(row, newest, unsent)
      return { preview: preview && text ? { ...preview, text } : preview }
    })
  })
}

async function newestShown(env: Env, chatRoomId: string, opened: StoredMessage | undefined): Promise<StoredMessage | undefined> {
  const page = opened ? undefined : await env.crypto.page({ chatRoomId, limit: 1 })
  if (page) noteEnds(chatRoomId, page)
  const newest = opened ?? page?.messages.at(-1)
  if (newest?.body.kind !== 'withheld') return newest
  return (await env.crypto.page({ chatRoomId, limit: LOOK_BACK })).messages.findLast(({ body }) => body.kind !== 'withheld')
}

function previewOf(room: Room, newest: StoredMessage | undefined, unsent: Folded<OutboxRow> | undefined): Preview | null {
  if (unsent) {
    const { content, failure } = unsent
    const text = content ? lineOf(content, true) : UNSUPPORTED
    return failure
      ? { kind: 'failed', text, status: null }
      : { kind: content ? lookOf(content, true) : 'text', text, status: 'sending' }
  }
  if (!newest) return null
  const isMine = newest.senderId === room.ownId
  const status = isMine ? deliveryOf(room, newest.seq) : null
  switch (newest.body.kind) {
    case 'content': {
      const kind = lookOf(newest.body.content, isMine)
      return { kind, text: lineOf(newest.body.content, isMine), status, ...(kind === 'missed' && { missedSeq: newest.seq }) }
    }
    case 'plain':
      return { kind: 'plain', text: textWords(newest.body.text), status }
    case 'deleted':
      return { kind: 'text', text: isMine ? DELETED_HERE : DELETED, status: null, deletedSeq: newest.seq }
    case 'act':
    case 'withheld':
      return null
    case 'notice':
      return { kind: 'text', text: newest.body.text, status: null }
    case 'newer':
      return { kind: 'unreadable', text: UNSUPPORTED, status: null }
    case 'sealed':
    case 'unreadable':
      return { kind: 'unreadable', text: 'This message cannot be read here', status: null }
  }
}

interface KindLine<C extends Content> {
  text(content: C, isMine: boolean): string
  look(content: C, isMine: boolean): Preview['kind']
}

const fileLook = ({ as }: { as: string }) => (as === 'image' ? 'photo' : 'document')

const LINES: { [K in Kind]: KindLine<ContentOf<K>> } = {
  text: { text: (content) => withoutMarks(contentWords(content)), look: () => 'text' },
  call: { text: callTitle, look: (content, isMine) => (isMissed(content, isMine) ? 'missed' : 'call') },
  timer: { text: contentWords, look: () => 'text' },
  transfer: { text: contentWords, look: () => 'document' },
  // A file's name keeps its backticks.
  file: { text: contentWords, look: fileLook },
  once: { text: contentWords, look: fileLook },
}

const lineRules = (content: Content): KindLine<Content> => LINES[content.type]

export const lineOf = (content: Content, isMine: boolean): string => lineRules(content).text(content, isMine)

const lookOf = (content: Content, isMine: boolean): Preview['kind'] => lineRules(content).look(content, isMine)
