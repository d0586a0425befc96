import { contentWords } from '../../../contract/chat/contentwords.ts'
import { NOT_ENCRYPTED } from '../../rooms/list/preview.ts'
import type { ShownMessage } from './store.ts'
import { OUT_OF_PLACE } from './timelineLines.ts'

export interface News {
  key: string
  words: string
}

/**
 * What is announced when the shown messages have changed: every message that came behind the newest one of before, and every one of
 * one's own that has failed since. `name` is the other person's.
 */
export function newsOf(before: ShownMessage[], now: ShownMessage[], name: string): News[] {
  const newestSeq = before.findLast(({ seq }) => seq !== null)?.seq ?? 0
  const failed = new Set(before.flatMap(({ id, status }) => (status === 'failed' ? [id] : [])))
  return now.flatMap((message) => {
    const hasFailed = message.status === 'failed' && !failed.has(message.id)
    if (!hasFailed && (message.seq === null || message.seq <= newestSeq)) return []
    const words = wordsOf(message, name)
    return words ? [{ key: `${message.id} ${message.isMine} ${hasFailed}`, words }] : []
  })
}

function wordsOf(message: ShownMessage, name: string): string {
  if (message.status === 'failed') return `Not sent. ${message.reason ?? ''}`
  const warning = message.isOutOfPlace ? `${OUT_OF_PLACE} ` : ''
  if (message.isMine) return warning
  if (message.body.kind === 'unreadable') return `${warning}${name}: a message that cannot be read here`
  if (message.body.kind === 'notice') return message.body.isQuiet ? '' : message.body.text
  const mark = message.body.kind === 'plain' ? `${NOT_ENCRYPTED}. ` : ''
  const file = message.body.kind === 'file' ? `${contentWords(message.body.file)}. ` : ''
  return `${warning}${mark}${name}: ${file}${message.body.text}`.trim()
}
