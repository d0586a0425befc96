import { albumIn } from '../../../contract/chat/kinds/file.ts'
import { contentWords } from '../../../contract/chat/kinds/kinds.ts'
import { NOT_ENCRYPTED } from '../../rooms/list/preview.ts'
import type { BodyKind, BodyOf, MessageBody, ShownMessage } from './store.ts'
import { OUT_OF_PLACE } from './timelineLines.ts'

export interface News {
  key: string
  words: string
}

/** Returns the messages after the formerly newest, and own messages that have failed since. */
export function newsOf(before: ShownMessage[], now: ShownMessage[], name: string): News[] {
  const newestSeq = before.findLast(({ seq }) => seq !== null)?.seq ?? 0
  const failed = new Set(before.flatMap(({ id, status }) => (status === 'failed' ? [id] : [])))
  return now.flatMap((message, index) => {
    const hasFailed = message.status === 'failed' && !failed.has(message.id)
    if (!hasFailed && (message.seq === null || message.seq <= newestSeq)) return []
    if (!hasFailed && goesOn(now[index - 1], message)) return []
    const words = wordsOf(message, name)
    return words ? [{ key: `${message.id} ${message.isMine} ${hasFailed}`, words }] : []
  })
}

function goesOn(before: ShownMessage | undefined, { isMine, body, isOutOfPlace }: ShownMessage): boolean {
  if (before?.isMine !== isMine || (isOutOfPlace && !before.isOutOfPlace)) return false
  const album = albumOf(body)
  return !('text' in body && body.text) && album !== undefined && albumOf(before.body) === album
}

const albumOf = (body: MessageBody) => (body.kind === 'file' ? albumIn(body.file)?.id : undefined)

interface Announces<B extends MessageBody> {
  words(body: B, name: string): string
}

const ANNOUNCED: { [K in Exclude<BodyKind, 'notice'>]: Announces<BodyOf<K>> } = {
  text: { words: ({ text }, name) => `${name}: ${text}` },
  file: { words: ({ file, text }, name) => `${name}: ${albumIn(file) ? 'Photos' : contentWords(file)}. ${text}` },
  call: { words: ({ text }, name) => `${name}: ${text}` },
  timer: { words: ({ text }, name) => `${name} ${text}` },
  once: { words: ({ text }, name) => `${name}: ${text}` },
  transfer: { words: ({ text }, name) => `${name}: Incoming File. ${text}` },
  plain: { words: ({ text }, name) => `${NOT_ENCRYPTED}. ${name}: ${text}` },
  deleted: { words: ({ text }, name) => `${name}: ${text}` },
  unreadable: { words: (_, name) => `${name}: a message that cannot be read here` },
  unsupported: { words: ({ text }, name) => `${name}: ${text}` },
}

function wordsOf({ status, reason, isOutOfPlace, isMine, body }: ShownMessage, name: string): string {
  if (status === 'failed') return `Not sent. ${reason ?? ''}`
  const warning = isOutOfPlace ? `${OUT_OF_PLACE} ` : ''
  if (isMine) return warning
  if (body.kind === 'notice') return body.isQuiet ? '' : body.text
  const announces: Announces<Exclude<MessageBody, { kind: 'notice' }>> = ANNOUNCED[body.kind]
  return `${warning}${announces.words(body, name)}`.trim()
}
